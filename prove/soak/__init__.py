"""Long and hard use of a process that we are attached to: it must neither grow, nor block, nor say anything twice."""
