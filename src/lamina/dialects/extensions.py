"""The former place of `lamina.protocol.extensions`, for a tool outside the repository that compares histories."""

from __future__ import annotations

from lamina.protocol.extensions import golden_of

__all__ = ["golden_of"]
