import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inferCapabilities, type Recruitment, recruit, recruitIn } from '../../../src/choosing/recruit/recruit.js';
import { meaningOf } from '../../../src/contracts/codes.js';
import { EXIT } from '../../../src/contracts/states.js';
import { listSpecialists } from '../../../src/definitions/specialists.js';
import { errorOf } from '../error-of.js';
import { registryOf } from '../temporary-project.js';

const BUILT_IN = listSpecialists({ capabilities: new Map(), packs: new Map() });
const { capabilities } = BUILT_IN;

const pack = (id: string, has: string[], keywords: string[] = []): Recruitment['packs'][number] => {
  return { id, capabilities: has, keywords };
};
const choose = (prompt: string, more: Partial<Recruitment> = {}) =>
  recruit({ ...BUILT_IN, network: true, ...more, prompt });

describe('what a request needs', () => {
  test('R-004-08, C-40: a keyword counts anywhere in the lower-case request, also inside a word', () => {
    expect(inferCapabilities('Show the LATEST figures', capabilities)).toEqual(['software_testing']);
    expect(inferCapabilities('Search The Web', capabilities)).toEqual(['web_search']);
    expect(inferCapabilities('search  the web', capabilities)).toEqual([]);
    expect(inferCapabilities('', capabilities)).toEqual([]);
  });

  test('R-004-01, R-004-06: one word may require two capabilities; they are in the order of the file, each once', () => {
    expect(inferCapabilities('citations, tests, citations', capabilities)).toEqual([
      'software_testing',
      'systematic_review',
      'citation_extraction',
    ]);
  });
});

describe('the pack', () => {
  test('R-004-09, R-004-12, R-004-19: is the one with the most required capabilities', () => {
    expect(choose('Read file a.bib and extract the citations')).toEqual({
      specialist_id: 'research',
      required_capabilities: ['file_io', 'systematic_review', 'citation_extraction'],
      routing_method: 'capability_routing',
    });
  });

  test('R-004-09: a capability that it lists twice counts once', () => {
    const packs = [pack('twice', ['file_io', 'file_io']), pack('both', ['file_io', 'code_execution'])];
    expect(choose('build it and list files', { packs }).specialist_id).toBe('both');
  });

  test('R-004-10: is the first of those that have equally many', () => {
    expect(choose('list files').specialist_id).toBe('engineering');
    expect(choose('list files', { packs: BUILT_IN.packs.toReversed() }).specialist_id).toBe('research');
  });

  test('R-004-19: is the one that is named, and the required capabilities are still reported', () => {
    expect(choose('write a pytest', { named: 'research' })).toEqual({
      specialist_id: 'research',
      required_capabilities: ['software_testing'],
      routing_method: 'explicit',
    });
  });

  test.each(['reserch', 'Research', '', '__proto__'])('an unknown name is refused: %j', (named) => {
    const error = errorOf(() => choose('build it', { named }));
    expect(error).toMatchObject({ code: 'pack.not_found', suggestion: expect.stringContaining('research') });
    expect(meaningOf('pack.not_found')?.exit).toBe(EXIT.usage);
  });
});

describe('R-004-11, C-34: if no pack has any of the required capabilities', () => {
  const packs = [pack('first', [], ['draw']), pack('second', [], ['draw', 'chart']), pack('research', [])];

  test('the keywords of the packs decide, and the first of those with equally many', () => {
    const found = { required_capabilities: [], routing_method: 'keyword_fallback' };
    expect(choose('Draw a CHART', { packs })).toEqual({ specialist_id: 'second', ...found });
    expect(choose('Draw a line', { packs })).toEqual({ specialist_id: 'first', ...found });
  });

  test('this also holds for a required capability that no pack has', () => {
    expect(choose('Test the drawing', { packs })).toEqual({
      specialist_id: 'first',
      required_capabilities: ['software_testing'],
      routing_method: 'keyword_fallback',
    });
  });

  test.each([
    ['implement a parser', ['other', 'engineering', 'research'], 'engineering'],
    ['Deployment of it', ['other', 'engineering', 'research'], 'engineering'],
    ['hello there', ['other', 'engineering', 'research'], 'research'],
    ['hello there', ['other', 'engineering'], 'other'],
    ['implement a parser', ['other', 'research'], 'research'],
    ['implement a parser', ['other'], 'other'],
  ])('then words about building decide: %j with the packs %j goes to %s', (prompt, ids, specialist_id) => {
    const found = choose(prompt, { packs: ids.map((id) => pack(id, [])) });
    expect(found).toMatchObject({ specialist_id, routing_method: 'heuristic_fallback' });
  });

  test('with the built-in packs, a greeting goes to research', () => {
    expect(choose('good morning')).toEqual({
      specialist_id: 'research',
      required_capabilities: [],
      routing_method: 'heuristic_fallback',
    });
  });
});

describe('R-004-07, C-41: without a network', () => {
  test('no pack has web_search, which is still reported as required', () => {
    expect(choose('web search', { network: false })).toEqual({
      specialist_id: 'research',
      required_capabilities: ['web_search'],
      routing_method: 'heuristic_fallback',
    });
    expect(choose('search the web for a service', { network: false })).toMatchObject({
      specialist_id: 'engineering',
      required_capabilities: ['code_execution', 'web_search'],
      routing_method: 'capability_routing',
    });
  });

  test('the environment states this', () => {
    const registry = registryOf({
      'ability.yaml':
        'format: 1\nproject: p\nenvironments: { dev: {}, open: { network: true }, shut: { network: false } }\n',
    });
    const methodIn = (environment: string) => recruitIn(registry, { environment, prompt: 'fetch url' }).routing_method;
    expect(['dev', 'open', 'shut', 'unknown'].map(methodIn)).toEqual([
      'capability_routing',
      'capability_routing',
      'heuristic_fallback',
      'heuristic_fallback',
    ]);
  });
});

test('C-34: for any request the pack is an existing one, and a pack by capability has the most required capabilities', () => {
  const ids = ['engineering', 'research', 'data', 'other'];
  const some = fc.subarray(capabilities.map(({ id }) => id));
  const words = fc.subarray(capabilities.flatMap(({ keywords }) => keywords));
  const packs = fc
    .uniqueArray(fc.constantFrom(...ids), { minLength: 1 })
    .chain((chosen) => fc.tuple(...chosen.map((id) => some.map((has) => pack(id, has, ['chart'])))));
  const prompt = fc.tuple(words, fc.string()).map(([picked, rest]) => `${picked.join(' ')} ${rest}`);
  fc.assert(
    fc.property(prompt, packs, fc.boolean(), (request, available, network) => {
      const { specialist_id, required_capabilities, routing_method } = choose(request, { packs: available, network });
      const found = available.find(({ id }) => id === specialist_id);
      expect(found).toBeDefined();
      const counted = required_capabilities.filter((id) => network || id !== 'web_search');
      const scores = available.map((one) => counted.filter((id) => one.capabilities.includes(id)).length);
      expect(routing_method === 'capability_routing').toBe(Math.max(...scores) > 0);
      if (routing_method === 'capability_routing') expect(found).toBe(available[scores.indexOf(Math.max(...scores))]);
    }),
    { numRuns: 300 },
  );
});
