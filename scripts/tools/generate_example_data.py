#!/usr/bin/env python3
"""generate_example_data: made-up users, the same ones for the same seed. Standard library only."""

import argparse
import json
import random

FIRST = ["Ada", "Alan", "Barbara", "Edsger", "Grace", "Hedy", "Katherine", "Linus", "Margaret", "Radia"]
LAST = ["Byron", "Dijkstra", "Hamilton", "Hopper", "Johnson", "Lamarr", "Liskov", "Perlman", "Torvalds", "Turing"]


def make_user(chance: random.Random, number: int) -> dict:
    first, last = chance.choice(FIRST), chance.choice(LAST)
    user_id = f"u-{first}-{last}-{number}".lower()
    return {"user_id": user_id, "email": f"{user_id}@example.test", "name": f"{first} {last}"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", required=True)
    parser.add_argument("--output", required=True)
    files = parser.parse_args()
    with open(files.input, encoding="utf-8") as source:
        wanted = json.load(source)
    chance = random.Random(wanted.get("seed"))
    users = [make_user(chance, number) for number in range(1, wanted.get("count", 3) + 1)]
    with open(files.output, "w", encoding="utf-8") as target:
        json.dump({"users": users}, target)
    print(f"{len(users)} users")


if __name__ == "__main__":
    main()
