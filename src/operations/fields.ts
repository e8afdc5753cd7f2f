import { z } from 'zod';
import { isDuration, parseDuration } from '../rules/duration.js';

/** The longest that a request waits for a task; proxies end requests that take longer. */
const LONGEST_WAIT_MS = 5 * 60_000;

/** Stands for any JSON: an OpenAPI document cannot contain the recursive schema. */
export const json = z.unknown();

/** Fields that several operations take. */
export const id = z.string().min(1).max(200);
export const key = z.string().min(1).max(500).describe('The task key.');
export const input = z.record(z.string(), json).describe('The input of the ability, as its input_schema describes it.');
export const environment = z.string().min(1).max(100).describe('If left out, the project chooses it.');
export const session = z.string().min(1).max(100);
export const scope = z.string().min(1).max(200);
export const wait = z
  .string()
  .refine((text) => isDuration(text) && parseDuration(text) <= LONGEST_WAIT_MS, 'It is no duration of at most 5m')
  .describe('How long to wait for the end, such as 30s, at most 5m (default: 0s).');

export const problem = z.looseObject({ code: z.string(), message: z.string() });
