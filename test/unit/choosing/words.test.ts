import { describe, expect, test } from 'vitest';
import { joinedNeighbours, stemOf, wordsIn, wordTexts } from '../../../src/choosing/words.js';

describe('a text is split into words', () => {
  test.each([
    ['db.write.user_row', ['db', 'write', 'user', 'row']],
    ['getUserByID', ['get', 'user', 'by', 'id']],
    ['HTTPServer2', ['http', 'server', '2']],
    ["What's the user's name?", ['whats', 'the', 'users', 'name']],
    ['Größe ändern', ['größe', 'ändern']],
    ['删除用户', ['删除', '除用', '用户']],
    ['', []],
  ])('%s', (text, words) => {
    expect(wordTexts(text)).toEqual(words);
  });

  test('names of several parts are also kept as a whole', () => {
    expect(wordsIn('GitHub sign-up').map(({ text }) => text)).toEqual(['git', 'hub', 'github', 'sign', 'up', 'signup']);
  });

  test('neighbours that may be one word elsewhere are joined', () => {
    expect(joinedNeighbours(wordsIn('log in now')).map(({ text }) => text)).toEqual(['login', 'innow']);
  });

  test('stop words, words of any request and numbers are distinguished from words with content', () => {
    const kinds = wordsIn('please write 12 invoices').map(({ kind }) => kind);
    expect(kinds).toEqual(['stop', 'common', 'number', 'content']);
  });
});

describe('forms of a word share a stem', () => {
  test.each([
    ['caresses', 'caress'],
    ['ponies', 'poni'],
    ['agreed', 'agre'],
    ['plastered', 'plaster'],
    ['hopping', 'hop'],
    ['filing', 'file'],
    ['happy', 'happi'],
    ['relational', 'relat'],
    ['conformabli', 'conform'],
    ['triplicate', 'triplic'],
    ['hopefulness', 'hope'],
    ['adjustment', 'adjust'],
    ['adoption', 'adopt'],
    ['controlling', 'control'],
    ['rate', 'rate'],
    ['yes', 'ye'],
    ['по', 'по'],
  ])('%s: %s', (word, stem) => {
    expect(stemOf(word)).toBe(stem);
  });
});
