/** Reads sets of labelled requests. Their format: docs/choosing.md, "Measuring". */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { AbilityText } from '../../src/choosing/ranker.js';

const tool = z.object({
  id: z.string(),
  name: z.string().optional(),
  description: z.string().default(''),
  params: z.string().default(''),
  group: z.string().default(''),
  examples: z.array(z.string()).default([]),
});

const query = z.object({
  id: z.string(),
  text: z.string(),
  gold: z.array(z.string()),
  /** `none` and `respond` are requests that no tool is for. */
  decision: z.enum(['tool', 'respond', 'none']).optional(),
  /** The request is asked among these alone. */
  candidates: z.array(z.string()).optional(),
  /** What was taken from the candidates so that none of them fits. */
  removed_gold: z.string().optional(),
});

/** One line of `tools.jsonl`. */
export type Tool = z.output<typeof tool>;
/** One line of `queries.jsonl`. */
export type Query = z.output<typeof query>;

/** A folder with tools and requests. */
export interface RoutingSet {
  name: string;
  tools: Tool[];
  queries: Query[];
}

/** The sets in a folder, in the order of their names; the folder itself where it is one. @throws where a line is none, or nothing is found. */
export function readSets(folder: string): RoutingSet[] {
  const own = isSet(folder) ? [folder] : [];
  const inside = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isSet(join(folder, entry.name)))
    .map(({ name }) => join(folder, name));
  const folders = [...own, ...inside.sort()];
  if (folders.length === 0) throw new Error(`${folder} has no folder with tools.jsonl and queries.jsonl`);
  return folders.map((path) => {
    const set = {
      name: basename(path),
      tools: readLines(join(path, 'tools.jsonl'), tool),
      queries: readLines(join(path, 'queries.jsonl'), query),
    };
    checkNames(set);
    return set;
  });
}

/** What our ranker reads of a tool. */
export function textOf({ id, name, description, params, group, examples }: Tool): AbilityText {
  const texts = {
    id: [id],
    ...(name !== undefined && name !== id && { name: [name] }),
    module: [group],
    summary: [description],
    uses: examples,
    parameters: [params],
  };
  return { id, texts, not: [] };
}

function isSet(folder: string): boolean {
  return existsSync(join(folder, 'tools.jsonl')) && existsSync(join(folder, 'queries.jsonl'));
}

function readLines<T>(file: string, shape: z.ZodType<T>): T[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, at) => {
      if (line.trim() === '') return [];
      try {
        return [shape.parse(JSON.parse(line))];
      } catch (cause) {
        throw new Error(`${file}:${at + 1} is no line of a routing set`, { cause });
      }
    });
}

/** A request for a tool that is missing would count against everyone, and say nothing. */
function checkNames({ name, tools, queries }: RoutingSet): void {
  const ids = new Set(tools.map(({ id }) => id));
  for (const { id, gold, candidates = [], removed_gold } of queries) {
    const unknown = [...gold, ...candidates, ...(removed_gold ? [removed_gold] : [])].find((tool) => !ids.has(tool));
    if (unknown !== undefined) throw new Error(`${name}: the request ${id} names ${unknown}, which is no tool`);
  }
}
