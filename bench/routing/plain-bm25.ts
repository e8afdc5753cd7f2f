import { wordTexts } from '../../src/choosing/words.js';

/**
 * BM25 as textbooks have it: all text of a tool as one field, k1 1.2, b 0.75, identifiers split, no stop words, no stems. What our ranker
 * is measured against.
 */
export class PlainBm25 {
  private readonly postings = new Map<string, Map<number, number>>();
  private readonly held: number[];

  constructor(texts: readonly string[]) {
    const documents = texts.map(wordTexts);
    const usual = documents.reduce((sum, words) => sum + words.length, 0) / documents.length;
    this.held = documents.map((words) => K1 * (1 - B + (B * words.length) / usual));
    for (const [place, words] of documents.entries())
      for (const word of words) {
        let having = this.postings.get(word);
        if (!having) this.postings.set(word, (having = new Map()));
        having.set(place, (having.get(place) ?? 0) + 1);
      }
  }

  /** The scores by the place of the text; what shares no word with the request is left out. */
  scores(request: string): Map<number, number> {
    const scores = new Map<number, number>();
    for (const word of wordTexts(request)) {
      const having = this.postings.get(word);
      if (!having) continue;
      const rarity = Math.log(1 + (this.held.length - having.size + 0.5) / (having.size + 0.5));
      for (const [place, times] of having) {
        const gain = (rarity * times * (K1 + 1)) / (times + (this.held[place] ?? 0));
        scores.set(place, (scores.get(place) ?? 0) + gain);
      }
    }
    return scores;
  }
}

const K1 = 1.2;
const B = 0.75;
