"""The explorer: a web page on the files of a project or on a store, and the routes it asks."""
