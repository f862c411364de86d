"""Stands before OpenCV, as if it were not installed."""

raise ImportError("no cv2 here")
