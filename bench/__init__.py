"""Speed and memory of raylint, as ratios against a baseline measured in the same run. ``python -m bench``."""
