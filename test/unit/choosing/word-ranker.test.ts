import { describe, expect, test } from 'vitest';
import { type AbilityText, FITS } from '../../../src/choosing/ranker.js';
import { WordRanker } from '../../../src/choosing/word-ranker.js';

const ability = (
  id: string,
  summary: string,
  more: Partial<AbilityText['texts']> = {},
  not: string[] = [],
): AbilityText => {
  return { id, texts: { id: [id], summary: [summary], ...more }, not };
};
const ranker = new WordRanker([
  ability('db.write.user_row', 'Write one row into the users table.', { keywords: ['seed user'] }, ['prod']),
  ability('db.delete.user_row', 'Remove the row of a user.'),
  ability('mcp.query.logs', 'Query the logs of a service.', { server: ['observability'], name: ['search_lines'] }),
  ability('http.call.signup', 'Signup of an invited person.', { parameters: ['email Address of the person'] }),
]);
const idsFor = (text: string): string[] => ranker.rankNow({ text }).map(({ id }) => id);

test.each([
  ['the id', 'write user rows', 'db.write.user_row'],
  ['the summary', 'removing a user', 'db.delete.user_row'],
  ['keywords', 'seeding', 'db.write.user_row'],
  ['the server', 'anything in observability?', 'mcp.query.logs'],
  ['the name of the tool', 'lines', 'mcp.query.logs'],
  ['parameters', 'which address', 'http.call.signup'],
  ['words that begin alike', 'observables', 'mcp.query.logs'],
  ['neighbours that make one word', 'sign up a friend', 'http.call.signup'],
])('an ability is found by %s', (_, text, id) => {
  expect(idsFor(text)[0]).toBe(id);
});

test('a request that shares no word ranks nothing, and one that shares few does not fit', () => {
  expect(idsFor('poetry')).toEqual([]);
  expect(idsFor('')).toEqual([]);
  const [best] = ranker.rankNow({ text: 'what is a good novel for a long rainy weekend, any service will do' });
  expect(best?.score ?? 0).toBeLessThan(FITS);
});

test('C-40: a negative keyword lowers the score, as a whole word only, and hides nothing', () => {
  const scoreFor = (text: string) => ranker.rankNow({ text }).find(({ id }) => id === 'db.write.user_row');
  const plain = scoreFor('seed user rows of the product');
  const penalised = scoreFor('seed user rows of prod');
  expect(plain?.against).toEqual([]);
  expect(penalised?.against).toEqual(['prod']);
  expect(penalised?.score ?? 1).toBeLessThan(plain?.score ?? 0);
  expect(penalised?.score ?? 0).toBeGreaterThan(0);
});

test('a request that repeats itself has the same score', () => {
  const [once] = ranker.rankNow({ text: 'remove the user row' });
  const [twice] = ranker.rankNow({ text: 'remove the user row, remove the user row' });
  expect(twice?.id).toBe(once?.id);
  expect(twice?.score).toBeCloseTo(once?.score ?? 0, 5);
});

test('scores are between 0 and 1, best first, with the shared words', () => {
  const ranked = ranker.rankNow({ text: 'delete user row row user delete' });
  for (const { score } of ranked) expect(score > 0 && score < 1).toBe(true);
  expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).sort((one, other) => other - one));
  expect([...(ranked[0]?.words ?? [])].sort()).toEqual(['delete', 'row', 'user']);
});

test('only the requested abilities are ranked, by the words that are not removed from the request', () => {
  const [first, ...others] = ranker.rankNow({ text: 'delete user row', among: new Set(['db.write.user_row']) });
  expect([first?.id, others]).toEqual(['db.write.user_row', []]);
  const without = new Set(first?.stems);
  expect(ranker.rankNow({ text: 'delete user row', among: new Set(['db.write.user_row']), without })).toEqual([]);
});

test('an ability that is described at length scores lower than a short one that says the same', () => {
  const both = new WordRanker([
    ability('x.one', 'Print the grading sheet.', { examples: ['archive invoices, rotate certificates', 'draw maps'] }),
    ability('x.two', 'Print the grading sheet.'),
  ]);
  expect(both.rankNow({ text: 'print a grading sheet' }).map(({ id }) => id)).toEqual(['x.two', 'x.one']);
});

test('names and numbers do not lower a score, as other words do that no ability has', () => {
  const scoreOf = (text: string): number => ranker.rankNow({ text })[0]?.score ?? 0;
  const named = scoreOf('query the logs for Lisbon Porto Madrid Sevilla');
  expect(named).toBeGreaterThan(scoreOf('query the logs for lighthouse poetry marmalade thunder'));
  expect(named).toBeCloseTo(scoreOf('query the logs for 4711'), 2);
});

describe('in a text of more than 60 words', () => {
  const aside =
    'Yesterday the weather in the mountains was nice, and everybody enjoyed a walk with old friends. '.repeat(6);
  const first = (text: string): string | undefined => ranker.rankNow({ text })[0]?.id;

  test('what the last message asks for comes first', () => {
    const earlier =
      'user: please remove the row of a user (db delete user row)\nassistant: I removed the row of that user\n';
    expect(first(`${earlier}user: ${aside}\nuser: please query the logs of the service`)).toBe('mcp.query.logs');
    expect(
      first(`Please query the logs of the service.\n\`\`\`\nremove user row; remove user row\n\`\`\`\n${aside}`),
    ).toBe('mcp.query.logs');
  });

  test('the rest of the text is searched, too, and counts less', () => {
    const talk = `user: please query the logs of the service\nassistant: ${aside}\nuser: yes, go ahead`;
    expect(first(talk)).toBe('mcp.query.logs');
    const both = ranker.rankNow({ text: `The logs of the service are odd. ${aside} Please remove the row of a user.` });
    expect(both.map(({ id }) => id)).toEqual(expect.arrayContaining(['db.delete.user_row', 'mcp.query.logs']));
    expect(both[0]?.id).toBe('db.delete.user_row');
  });
});

test('without abilities the ranking is empty', () => {
  expect(new WordRanker([]).rankNow({ text: 'delete' })).toEqual([]);
});
