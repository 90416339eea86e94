"""The page: a result, its layers and its history in one file that a browser opens from disk."""
