import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { inferCapabilities, recruit } from '../../../src/choosing/recruit/recruit.js';
import { loadRegistry } from '../../../src/definitions/load-registry.js';
import { BUILT_IN_CAPABILITIES, listSpecialists } from '../../../src/definitions/specialists.js';

/** A request with one keyword of each capability, and the pack that it recruits. A new capability gets a row. */
const CASES: Record<string, [request: string, pack: string]> = {
  code_execution: ['Compile it on Kubernetes.', 'engineering'],
  software_testing: ['Raise the coverage.', 'engineering'],
  file_io: ['Read file notes.md to me.', 'engineering'],
  systematic_review: ['What does the literature say?', 'research'],
  citation_extraction: ['Format the references.', 'research'],
  web_search: ['Browse the internet for it.', 'research'],
};

const specialists = listSpecialists(loadRegistry(fileURLToPath(new URL('../../..', import.meta.url))));
const { capabilities } = specialists;
const known = capabilities.map(({ id }) => id);

test('R-004-24: each capability of registry/capabilities.yaml has a case here', () => {
  expect(Object.keys(CASES)).toEqual(known);
});

test.each(Object.entries(CASES))(
  'R-004-24: a keyword infers %s, which recruits the right pack',
  (id, [prompt, pack]) => {
    expect(inferCapabilities(prompt, capabilities)).toEqual([id]);
    const found = recruit({ ...specialists, prompt, network: true });
    expect(found).toEqual({ specialist_id: pack, required_capabilities: [id], routing_method: 'capability_routing' });
  },
);

test('registry/capabilities.yaml has the built-in definitions of the six capabilities', () => {
  const defined = capabilities.map(({ id, from, ...capability }) => [id, from?.file, capability]);
  const builtIn = Object.entries(BUILT_IN_CAPABILITIES);
  expect(defined).toEqual(builtIn.map(([id, capability]) => [id, 'registry/capabilities.yaml', capability]));
});

const PROVIDED: [requirement: string, id: string, packs: string[], keywords: string[]][] = [
  [
    'R-004-02',
    'code_execution',
    ['engineering'],
    ['build', 'implement', 'code', 'service', 'pipeline', 'kubernetes', 'deploy', 'python', 'scala'],
  ],
  ['R-004-03', 'software_testing', ['engineering'], ['test', 'pytest', 'unittest', 'coverage', 'tdd']],
  ['R-004-04', 'file_io', ['engineering', 'research'], ['read file', 'write file', 'create file', 'list files']],
  [
    'R-004-05',
    'systematic_review',
    ['research'],
    ['literature', 'systematic review', 'paper', 'arxiv', 'survey', 'bibliography', 'citations'],
  ],
  ['R-004-06', 'citation_extraction', ['research'], ['citations', 'references', 'bibliography']],
  ['R-004-07', 'web_search', ['research'], ['search the web', 'web search', 'fetch url', 'browse the internet']],
];

test.each(PROVIDED)(
  '%s: %s belongs to the packs of the source, and has only its keywords',
  (_, id, packs, keywords) => {
    const builtIn = listSpecialists({ capabilities: new Map(), packs: new Map() });
    expect(builtIn.capabilities.find((one) => one.id === id)?.keywords).toEqual(keywords);
    expect(builtIn.packs.filter((pack) => pack.capabilities.includes(id)).map((pack) => pack.id)).toEqual(packs);
    for (const keyword of keywords) expect(inferCapabilities(`x${keyword}y`, builtIn.capabilities)).toContain(id);
  },
);
