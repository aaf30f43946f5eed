"""The game: cards, deals, calls, auctions, play, contracts and what they score, PBN.

Knows no event and no file.
"""
