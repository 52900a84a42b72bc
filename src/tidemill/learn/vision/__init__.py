"""What the algorithms for pictures share: a small network, pictures that move with what is marked, dense detection."""
