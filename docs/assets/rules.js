// Filters above the index of rules. What they are set to stands in the address, so that a choice can be sent around.
(() => {
  "use strict";

  const table = document.querySelector(".rule-index table");
  if (!table) return;

  const rows = [...table.tBodies[0].rows].map((row) => {
    const texts = [...row.cells].map((cell) => cell.textContent.trim());
    return {
      row,
      id: texts[0],
      severity: texts[2],
      kuberay: texts[3],
      ray: texts[4],
      fix: texts[5],
      words: texts.join(" ").toLowerCase(),
    };
  });

  const numbers = (release) => release.split(".").map(Number);

  // -1, 0 or 1; of releases with unlike many numbers only those that both have are compared.
  const compare = (left, right) => {
    for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
      if (left[at] !== right[at]) return left[at] < right[at] ? -1 : 1;
    }
    return 0;
  };

  // Whether a range of the table ("all", "1.4 and later", "up to 2.6", "1.3 to 1.4") holds the release.
  const holds = (range, release) => {
    const ends = (range.match(/\d+(\.\d+)+/g) || []).map(numbers);
    if (range.startsWith("up to")) return compare(release, ends[0]) <= 0;
    if (ends.length > 0 && compare(release, ends[0]) < 0) return false;
    if (range.endsWith("and later") || ends.length === 0) return true;
    return compare(release, ends[ends.length - 1]) <= 0;
  };

  const family = (id) => id.replace(/\d+$/, "");
  const releasesIn = (ranges) =>
    [...new Set(ranges.join(" ").match(/\d+\.\d+/g))].sort((left, right) => compare(numbers(right), numbers(left)));

  const FILTERS = {
    family: { choices: ["API", "KR", "RAY", "RL"], fits: (rule, value) => family(rule.id) === value },
    severity: { choices: ["error", "warning", "info"], fits: (rule, value) => rule.severity === value },
    fix: {
      choices: ["any", "safe", "unsafe", "none"],
      fits: (rule, value) =>
        value === "any" ? rule.fix !== "" : value === "none" ? rule.fix === "" : rule.fix.split(" or ").includes(value),
    },
    kuberay: {
      title: "KubeRay",
      choices: releasesIn(rows.map((rule) => rule.kuberay)),
      fits: (rule, value) => holds(rule.kuberay, numbers(value)),
    },
    ray: { title: "Ray", fits: (rule, value) => holds(rule.ray, numbers(value)) },
    words: {
      fits: (rule, value) =>
        value
          .toLowerCase()
          .split(/\s+/)
          .every((word) => rule.words.includes(word)),
    },
  };

  const form = document.createElement("form");
  form.className = "rule-filters";
  const fields = {};
  for (const [name, filter] of Object.entries(FILTERS)) {
    const label = document.createElement("label");
    label.append(filter.title || name);
    const field = document.createElement(filter.choices ? "select" : "input");
    if (filter.choices) {
      field.append(new Option("all", ""), ...filter.choices.map((choice) => new Option(choice, choice)));
    } else {
      field.type = "search";
      field.placeholder = name === "ray" ? "2.43" : "redis restartPolicy";
    }
    field.name = name;
    fields[name] = field;
    label.append(field);
    form.append(label);
  }
  const count = document.createElement("p");
  count.className = "rule-count";
  count.setAttribute("aria-live", "polite");
  table.closest(".rule-index").before(form, count);

  const chosen = () =>
    Object.entries(fields)
      .map(([name, field]) => [name, field.value.trim()])
      .filter(([name, value]) => value !== "" && (name !== "ray" || /^\d+(\.\d+)*$/.test(value)));

  const show = () => {
    const filters = chosen();
    let shown = 0;
    for (const rule of rows) {
      const fits = filters.every(([name, value]) => FILTERS[name].fits(rule, value));
      rule.row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    count.textContent = `${shown} of ${rows.length} rules`;
  };

  const remember = () => {
    const query = new URLSearchParams(chosen()).toString();
    history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}${location.hash}`);
  };

  for (const [name, value] of new URLSearchParams(location.search)) {
    if (fields[name]) fields[name].value = value;
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    show();
    remember();
  });
  show();
})();
