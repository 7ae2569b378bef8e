# SPDX-License-Identifier: Apache-2.0
"""A graph of bits with delays. Finds longest paths in one pass in topological order, or the loops if there is no such
order.

Arcs are stored in arrays, and nothing is recursive or repeated until it settles, so time and memory are proportional to
the number of arcs.
"""
from array import array
from collections.abc import Iterable

NEVER = float("-inf")


class Loop(Exception):
    """Raised for combinational loops; holds a list of nodes for each loop."""

    def __init__(self, loops: list[list[int]]):
        super().__init__("combinational loop")
        self.loops = loops


class Graph:
    """Nodes, numbered from 0, and arcs with delays in ns. First all arcs are added, then close() is called, and then
    the longest paths can be asked for."""

    def __init__(self, nodes: int):
        self.nodes = nodes
        self.tails, self.heads, self.delays = array("l"), array("l"), array("d")
        self.first, self.out = array("l"), array("l")  # arcs of a node: out[first[n]:first[n + 1]]
        self.sorted: list[int] = []

    def new_node(self) -> int:
        self.nodes += 1
        return self.nodes - 1

    def add(self, tail: int, head: int, delay: float) -> None:
        self.tails.append(tail)
        self.heads.append(head)
        self.delays.append(delay)

    def close(self) -> None:
        """Finds the topological order after the last arc was added. Raises Loop if there is none."""
        self.first = array("l", bytes(8 * (self.nodes + 2)))
        for tail in self.tails:
            self.first[tail + 2] += 1
        for n in range(2, self.nodes + 2):
            self.first[n] += self.first[n - 1]
        self.out = array("l", bytes(8 * len(self.tails)))
        for arc, tail in enumerate(self.tails):
            self.out[self.first[tail + 1]] = arc
            self.first[tail + 1] += 1
        self.sorted = self.kahn()
        if len(self.sorted) < self.nodes:
            raise Loop(self.loops())

    def kahn(self) -> list[int]:
        """Returns the nodes in topological order, without those that are in a loop or after one."""
        waiting = array("l", bytes(8 * self.nodes))
        for head in self.heads:
            waiting[head] += 1
        order = [n for n in range(self.nodes) if not waiting[n]]
        for node in order:  # grows in the loop
            for at in range(self.first[node], self.first[node + 1]):
                head = self.heads[self.out[at]]
                waiting[head] -= 1
                if not waiting[head]:
                    order.append(head)
        return order

    def loops(self) -> list[list[int]]:
        """Returns the strongly connected components with a loop, among the nodes without a place in the order
        (Tarjan)."""
        left = bytearray(b"\1") * self.nodes
        for node in self.sorted:
            left[node] = 0
        number, low = array("l", [-1]) * self.nodes, array("l", [0]) * self.nodes
        held, stack, found = bytearray(self.nodes), [], []
        count = 0
        for root in range(self.nodes):
            if not left[root] or number[root] >= 0:
                continue
            work = [(root, self.first[root])]
            while work:
                node, at = work.pop()
                if number[node] < 0:
                    number[node] = low[node] = count
                    count += 1
                    stack.append(node)
                    held[node] = 1
                below = self.step(node, at, number, low, held)
                if below is not None:
                    work += [(node, below[1]), (below[0], self.first[below[0]])]
                elif low[node] == number[node]:
                    found.append(take_component(node, stack, held))
        return [part for part in found if len(part) > 1 or self.own_arc(part[0])]

    def step(self, node, at, number, low, held):
        """Returns the next unvisited node after this one and the place in `out` of the arc that leads to it, or None
        after the last arc."""
        while at < self.first[node + 1]:
            head = self.heads[self.out[at]]
            if number[head] < 0:
                return head, at
            if held[head]:
                low[node] = min(low[node], low[head])
            at += 1
        return None

    def own_arc(self, node: int) -> bool:
        """Returns whether an arc leads from the node to itself."""
        return any(self.heads[self.out[at]] == node for at in range(self.first[node], self.first[node + 1]))

    def arrivals(self, starts: Iterable[tuple[int, float]]) -> tuple[array, array]:
        """Returns for each node the latest arrival (NEVER if no start leads to the node) and the arc over which it
        comes (-1 for a start). starts: pairs of a node and its arrival in ns."""
        at, before = array("d", [NEVER]) * self.nodes, array("l", [-1]) * self.nodes
        for node, ns in starts:
            at[node] = max(at[node], ns)
        heads, delays, first, out = self.heads, self.delays, self.first, self.out
        for node in self.sorted:
            now = at[node]
            if now == NEVER:
                continue
            for place in range(first[node], first[node + 1]):
                arc = out[place]
                if now + delays[arc] > at[heads[arc]]:
                    at[heads[arc]], before[heads[arc]] = now + delays[arc], arc
        return at, before

    def needs(self, ends: Iterable[tuple[int, float]]) -> tuple[array, array]:
        """Returns for each node the longest path to an end in ns (NEVER if none leads there) and the first arc of this
        path (-1 if it ends at the node). ends: pairs of a node and the ns after it."""
        need, after = array("d", [NEVER]) * self.nodes, array("l", [-1]) * self.nodes
        for node, ns in ends:
            need[node] = max(need[node], ns)
        for node in reversed(self.sorted):
            for place in range(self.first[node], self.first[node + 1]):
                arc = self.out[place]
                way = self.delays[arc] + need[self.heads[arc]]
                if way > need[node]:
                    need[node], after[node] = way, arc
        return need, after

    def path(self, node: int, before: array) -> list[int]:
        """Returns the nodes of the path with the latest arrival at a node, the start first."""
        nodes = [node]
        while before[node] >= 0:
            node = self.tails[before[node]]
            nodes.append(node)
        return nodes[::-1]


def take_component(node: int, stack: list[int], held: bytearray) -> list[int]:
    """Removes the nodes from the end of the stack down to `node` and returns them. They are one component."""
    part = []
    while True:
        part.append(stack.pop())
        held[part[-1]] = 0
        if part[-1] == node:
            return part[::-1]
