"""The routes of a store: Deckhand's API, and what it does not have."""

from lamina.service.api import administration, documents, inspection, revisions, tags, validations

ROUTERS = tuple(each.router for each in (documents, revisions, tags, validations, inspection, administration))
