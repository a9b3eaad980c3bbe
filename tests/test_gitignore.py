"""What is ignored is what git ignores: git itself is the judge, ``pathspec`` a second one for single files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from raylint.gitignore import IgnoreRules, Pattern
from raylint.wildmatch import Glob

# The person's own git configuration must not take part, nor a repository around the temporary directory.
GIT_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "XDG_CONFIG_HOME": os.devnull,
    "HOME": os.devnull,
}


def git(repository: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, check=True, env=GIT_ENVIRONMENT).stdout


def paths_below(root: Path) -> set[str]:
    """Every file and directory below ``root``, git's own and the ignore files left out."""
    found = set()
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in (*folders, *files):
            if name != ".gitignore":
                found.add(os.path.relpath(os.path.join(folder, name), root))
    return found


def ignored_by_git(repository: Path, paths: set[str]) -> set[str]:
    stdin = b"".join(os.fsencode(path) + b"\0" for path in sorted(paths))
    command = ["git", "-C", str(repository), "check-ignore", "--no-index", "--stdin", "-z"]
    answer = subprocess.run(command, input=stdin, capture_output=True, check=False, env=GIT_ENVIRONMENT)
    # 1 says that nothing is ignored.
    assert answer.returncode in (0, 1), answer.stderr
    return {os.fsdecode(path) for path in answer.stdout.split(b"\0") if path}


def walked(root: Path) -> set[str]:
    """What a walk with our rules reaches, as paths below ``root``."""
    found = set()
    waiting = [IgnoreRules.for_directory(str(root))]
    while waiting:
        rules = waiting.pop()
        for entry in os.scandir(rules.directory):
            is_dir = entry.is_dir(follow_symlinks=False)
            if entry.name in (".git", ".gitignore") or rules.ignored(entry.name, is_dir):
                continue
            found.add(os.path.relpath(entry.path, root))
            if is_dir:
                waiting.append(rules.enter(entry.path))
    return found


def build(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet")
    return tmp_path


# pattern, path, whether the path is a directory, whether it is ignored. Only the path's own entry is asked.
TABLE = [
    ("# a comment", "# a comment", False, False),
    (r"\#note", "#note", False, True),
    (r"\!important", "!important", False, True),
    ("cluster.yaml", "cluster.yaml", False, True),
    ("cluster.yaml", "Cluster.yaml", False, False),
    ("cluster.yaml", "prod/cluster.yaml", False, True),
    ("/cluster.yaml", "cluster.yaml", False, True),
    ("/cluster.yaml", "prod/cluster.yaml", False, False),
    ("prod/cluster.yaml", "prod/cluster.yaml", False, True),
    ("prod/cluster.yaml", "eu/prod/cluster.yaml", False, False),
    ("build/", "build", True, True),
    ("build/", "build", False, False),
    ("build/", "eu/build", True, True),
    ("*.yaml", "cluster.yaml", False, True),
    ("*.yaml", "eu/.yaml", False, True),
    ("*.yaml", "cluster.yml", False, False),
    ("prod/*.yaml", "prod/cluster.yaml", False, True),
    ("prod/*.yaml", "prod/eu/cluster.yaml", False, False),
    ("prod/*/cluster.yaml", "prod/cluster.yaml", False, False),
    ("prod/*/cluster.yaml", "prod/eu/west/cluster.yaml", False, False),
    ("*/cluster.yaml", "prod/eu/cluster.yaml", False, False),
    ("ray-?.yaml", "ray-1.yaml", False, True),
    ("ray-?.yaml", "ray-12.yaml", False, False),
    ("ray-?.yaml", "ray-é.yaml", False, False),  # two bytes
    ("ray?x/y", "ray/x/y", False, False),
    ("ray-[0-9].yaml", "ray-5.yaml", False, True),
    ("ray-[!0-9].yaml", "ray-5.yaml", False, False),
    ("ray-[^0-9].yaml", "ray-x.yaml", False, True),
    ("ray-[]x].yaml", "ray-].yaml", False, True),
    ("ray-[a-].yaml", "ray--.yaml", False, True),
    ("ray-[\\]].yaml", "ray-].yaml", False, True),
    ("ray-[a\\-z].yaml", "ray-m.yaml", False, False),
    ("ray-[[:digit:]x].yaml", "ray-7.yaml", False, True),
    ("ray-[[:digits:]].yaml", "ray-7.yaml", False, False),
    ("ray-[[:].yaml", "ray-:.yaml", False, True),
    ("ray-[0-9", "ray-[0-9", False, False),
    ("a[/]b", "a/b", False, False),
    ("ends\\", "ends\\", False, False),
    (r"star\*", "star*", False, True),
    (r"star\*", "starry", False, False),
    ("**/logs", "logs", True, True),
    ("**/logs", "a/b/logs", True, True),
    ("**/logs", "a/blogs", True, False),
    ("a/**", "a", True, False),
    ("a/**", "a/b/c", False, True),
    ("a/**/b", "a/b", False, True),
    ("a/**/b", "a/x/y/b", False, True),
    ("a/**/b", "a/xb", False, False),
    ("a/**/**/b", "a/b", False, True),
    ("a/x**y/b", "a/x-y/b", False, True),
    ("a/*x**/b", "a/x/y/b", False, False),
    ("trailing ", "trailing", False, True),
    ("trailing\\ ", "trailing ", False, True),
    ("trailing\\\\ ", "trailing\\", False, True),
    ("tab\t", "tab", False, False),
    ("windows\r", "windows", False, True),
    ("\ufeffmark", "mark", False, True),
    ("/", "anything", False, False),
    ("!", "!", False, False),
    ("*\n!*.yaml", "cluster.yaml", False, False),
    ("!*.yaml\n*", "cluster.yaml", False, True),
    ("*.yaml\n!/prod/*.yaml", "prod/cluster.yaml", False, False),
]


@pytest.mark.parametrize(("pattern", "path", "is_dir", "expected"), TABLE)
def test_table(tmp_path: Path, pattern: str, path: str, is_dir: bool, expected: bool) -> None:
    build(tmp_path, {".gitignore": pattern})
    folder, name = os.path.split(path)
    rules = IgnoreRules.for_directory(str(tmp_path))
    for step in folder.split("/") if folder else []:
        rules = rules.enter(os.path.join(rules.directory, step))
    assert rules.ignored(name, is_dir) is expected


@pytest.mark.parametrize(("pattern", "path", "is_dir", "expected"), TABLE)
def test_table_is_what_git_says(repository: Path, pattern: str, path: str, is_dir: bool, expected: bool) -> None:
    build(repository, {".gitignore": pattern, path + ("/kept" if is_dir else ""): ""})
    assert (path in ignored_by_git(repository, {path})) is expected


def test_inner_file_overrides_outer_one(repository: Path) -> None:
    build(
        repository,
        {
            ".gitignore": "*.yaml\nsecret/\n",
            "prod/.gitignore": "!keep.yaml\n/local\n",
            "prod/keep.yaml": "",
            "prod/drop.yaml": "",
            "prod/local": "",
            "prod/eu/local": "",
            "secret/.gitignore": "!*",
            "secret/keep.yaml": "",
        },
    )
    assert walked(repository) == {"prod", "prod/keep.yaml", "prod/eu", "prod/eu/local"}
    assert ignored_by_git(repository, paths_below(repository)) == paths_below(repository) - walked(repository)


def test_nothing_returns_from_an_ignored_directory(repository: Path) -> None:
    build(repository, {".gitignore": "out/\n!out/keep.yaml\n", "out/keep.yaml": "", "top.yaml": ""})
    assert walked(repository) == {"top.yaml"}
    assert ignored_by_git(repository, {"out/keep.yaml"}) == {"out/keep.yaml"}


def test_exclude_file_of_the_repository_comes_last(repository: Path) -> None:
    build(repository, {".git/info/exclude": "*.yaml\n/a/b\n", ".gitignore": "!keep.yaml", "a/b": "", "a/c": ""})
    build(repository, {"keep.yaml": "", "drop.yaml": "", "a/drop.yaml": ""})
    assert walked(repository) == {"keep.yaml", "a", "a/c"}
    assert ignored_by_git(repository, paths_below(repository)) == {"drop.yaml", "a/b", "a/drop.yaml"}


def test_exclude_file_of_a_worktree_is_the_repositorys(repository: Path) -> None:
    build(repository, {".git/info/exclude": "*.tmp", "a.yaml": ""})
    git(repository, "add", "a.yaml")
    git(repository, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message=a")
    git(repository, "worktree", "add", "--quiet", "tree")
    build(repository, {"tree/b.tmp": ""})
    assert walked(repository / "tree") == {"a.yaml"}
    assert ignored_by_git(repository / "tree", {"b.tmp"}) == {"b.tmp"}


def test_a_repository_inside_asks_only_itself(repository: Path) -> None:
    git(repository, "init", "--quiet", "vendor/other")
    build(repository, {".gitignore": "*.yaml", "vendor/other/a.yaml": "", "vendor/b.yaml": ""})
    assert walked(repository) == {"vendor", "vendor/other", "vendor/other/a.yaml"}
    assert ignored_by_git(repository / "vendor/other", {"a.yaml"}) == set()


def test_unreadable_git_file_is_passed_over(tmp_path: Path) -> None:
    build(tmp_path, {".git": "no link", ".gitignore": "a", "a": "", "b": ""})
    assert walked(tmp_path) == {"b"}


def test_a_walk_may_start_anywhere_in_the_repository(repository: Path) -> None:
    build(repository, {".gitignore": "/a/b/drop.yaml\n", "a/.gitignore": "b/*.tmp"})
    build(repository, {"a/b/drop.yaml": "", "a/b/x.tmp": "", "a/b/keep.yaml": ""})
    assert walked(repository / "a" / "b") == {"keep.yaml"}


def test_a_start_that_is_ignored_itself_is_read(repository: Path) -> None:
    build(repository, {".gitignore": "/out\n*.yaml\n", "out/.gitignore": "b.yaml", "out/eu/a.yaml": ""})
    build(repository, {"out/b.yaml": ""})
    assert walked(repository / "out") == {"eu", "eu/a.yaml"}
    assert walked(repository / "out" / "eu") == {"a.yaml"}


def test_nothing_above_counts_without_a_repository(tmp_path: Path) -> None:
    build(tmp_path, {".gitignore": "*.yaml", "a/.gitignore": "b.yaml", "a/a.yaml": "", "a/b.yaml": ""})
    assert walked(tmp_path / "a") == {"a.yaml"}


def test_linked_ignore_file_is_not_followed(repository: Path) -> None:
    build(repository, {"patterns": "*.yaml", "a.yaml": ""})
    (repository / ".gitignore").symlink_to("patterns")
    assert "a.yaml" in walked(repository)
    # git warns about the link and goes on.
    assert ignored_by_git(repository, {"a.yaml"}) == set()


def test_ignore_file_that_is_no_file(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").mkdir()
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / ".gitignore")
    build(tmp_path, {"pipe/a.yaml": ""})
    assert walked(tmp_path) == {"pipe", "pipe/a.yaml"}


@pytest.mark.parametrize("kind", ["pipe", "zeros", "large"])
@pytest.mark.parametrize("name", [".git", "place/commondir", ".git/info/exclude", ".gitignore"])
def test_files_of_git_that_are_none(tmp_path: Path, name: str, kind: str) -> None:
    path = tmp_path / "tree" / name
    build(tmp_path, {"tree/place/HEAD": "", "tree/b.yaml": ""})
    if name == "place/commondir":
        build(tmp_path, {"tree/.git": "gitdir: place"})
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "zeros":
        path.symlink_to("/dev/zero")
    else:
        path.write_bytes(b"*.yaml\n" * 200_000)
    assert not IgnoreRules.for_directory(str(tmp_path / "tree")).ignored("b.yaml", False)


def test_place_of_git_with_a_nul(tmp_path: Path) -> None:
    build(tmp_path, {".git": "gitdir: a\0b", ".gitignore": "a", "a": "", "b": ""})
    assert walked(tmp_path) == {"b"}


def test_link_to_a_directory_is_no_directory(repository: Path) -> None:
    build(repository, {".gitignore": "link/", "real/a.yaml": ""})
    (repository / "link").symlink_to("real")
    assert "link" in walked(repository)
    assert ignored_by_git(repository, {"link"}) == set()


def test_name_that_is_not_unicode(repository: Path) -> None:
    (repository / ".gitignore").write_bytes(b"caf\xe9*\n")
    (repository / os.fsdecode(b"caf\xe9.yaml")).touch()
    assert walked(repository) == set()
    assert ignored_by_git(repository, paths_below(repository)) == paths_below(repository)


@pytest.mark.parametrize(
    "pattern", [b"*a" * 500 + b"b", b"**/" * 500 + b"b", b"a/" + b"*/" * 500 + b"b", b"[a-z]*" * 500 + b"0"]
)
def test_hostile_pattern_takes_one_step_per_byte(pattern: bytes) -> None:
    """A backtracking matcher does not come back from these in a lifetime."""
    assert not Glob(pattern).matches(b"a/" + b"a" * 3000 + b"/a")


NAMES = ["a", "b", "ab", "a.b", "foo", "a b", "a ", "[a]", "é", "-", "#a", "!a", "a*", "a\\", "A", "7", "x-y", "]"]

_SETS = r"[ab] [!a] [^b-z] [a-f.] []a] [!]] [a [ ] [[:alpha:]] [[:punct:]-z] [[:no:]] [[:a] [/a] [\]a] [*-\]] [a-]"
_STARS = r"* * ** / / **/ /** /**/ ? foo [--a] [z-a] [a-c-e] \* \\ \/ \a"
_token = st.sampled_from([*_SETS.split(), *_STARS.split(), *"ab.AxX-7é !#\\", "\\ "])
_line = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "", "", "!", "/", "!/", "#"]),
    st.lists(_token, min_size=1, max_size=6).map("".join),
    st.sampled_from(["", "", "", "/", " ", "  ", "\r", "\t"]),
)
_steps = st.lists(st.sampled_from(["*", "**", "a", "foo", "?", "*b", "[!a]", "a**"]), min_size=2, max_size=4)
_file = st.lists(st.one_of(_line, _steps.map("/".join), st.sampled_from(NAMES), st.just("")), max_size=4).map(
    "\n".join
)


@pytest.fixture(scope="module")
def forest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with every name as a file or a directory on three levels."""
    root = tmp_path_factory.mktemp("forest")
    git(root, "init", "--quiet")
    for number, name in enumerate(NAMES):
        build(root, {f"{name}/{other}": "" for other in NAMES[number % 3 :: 3]} if number % 2 else {name: ""})
    for folder in ("foo", "ab"):
        (root / folder).unlink(missing_ok=True)
        build(root, {f"{folder}/{name}/{other}": "" for name in NAMES[::2] for other in NAMES[1::4]})
    return root


@settings(max_examples=150)
@given(top=_file, inner=_file, innermost=_file, exclude=_file)
@example(top="foo**/b", inner="", innermost="", exclude="")
@example(top="a[!a]a\nfoo[!b]a", inner="[!a]b", innermost="", exclude="")
@example(top="a**/**/b\n!/**", inner="!*/", innermost="**", exclude="*")
def test_walk_is_gits(forest: Path, top: str, inner: str, innermost: str, exclude: str) -> None:
    build(
        forest,
        {
            ".git/info/exclude": exclude,
            ".gitignore": top,
            "foo/.gitignore": inner,
            "foo/a/.gitignore": innermost,
        },
    )
    everything = paths_below(forest)
    assert walked(forest) == everything - ignored_by_git(forest, everything)


# Without "**" and empty steps, where pathspec follows the manual of git and git itself does not, and without
# negated classes, which match a slash in pathspec alone.
_step = st.lists(st.sampled_from(["a", "b", ".", "foo", "?", "*", "[ab]", "\\*"]), min_size=1, max_size=4)
_simple_line = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "/"]),
    st.lists(_step.map("".join), min_size=1, max_size=3).map("/".join),
    st.sampled_from(["", "/"]),
).filter(lambda line: "**" not in line.replace("\\*", ""))


@settings(max_examples=200)
@given(
    line=_simple_line,
    path=st.lists(st.sampled_from(["a", "b", "ab", "foo", "a.b"]), min_size=1, max_size=4).map("/".join),
)
def test_single_pattern_is_pathspecs(line: str, path: str) -> None:
    ours = any(_matches(line, path, at) for at in range(len(path) + 1) if path[at : at + 1] in ("", "/"))
    assert ours == GitIgnoreSpec.from_lines([line]).match_file(path)


def _matches(line: str, path: str, end: int) -> bool:
    """Whether the pattern meets ``path`` up to ``end``: the file itself or a directory above it."""
    target = path[:end].encode()
    return Pattern(line.encode()).matches(target.rpartition(b"/")[2], target, end < len(path))
