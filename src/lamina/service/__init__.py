"""The service: documents kept in revisions of buckets, rendered on request, over Deckhand's REST API.

The libraries it needs come with the extra `lamina[service]`, those of the explorer of files alone with
`lamina[explore]`; nothing else of Lamina imports this room.
"""
