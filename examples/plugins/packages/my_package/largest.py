"""A merger for cloud-init that keeps the larger of two numbers."""


class Merger:
    """Keeps the larger of two numbers; all else is left to the rest of the rule."""

    def __init__(self, root, options):
        self._root = root
        self._options = options

    def _on_dict(self, old, new):
        return {key: self._merged(old, new, key) for key in {**old, **new}}

    def _merged(self, old, new, key):
        if key in old and key in new:
            return self._root.merge(old[key], new[key])
        return old.get(key, new.get(key))

    def _on_int(self, old, new):
        return max(old, new)
