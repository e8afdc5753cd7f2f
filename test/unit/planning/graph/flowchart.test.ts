import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeLabel, Flowchart } from '../../../../src/planning/graph/draw-ability.js';

describe('a label', () => {
  test('contains nothing that is special to Mermaid, HTML or Markdown', () => {
    expect(escapeLabel('"a" [b] {c} (d) <e> & #f; `g` |h| $i \\j')).toBe(
      '#34;a#34; #91;b#93; #123;c#125; #40;d#41; #60;e#62; #38; #35;f; #96;g#96; #124;h#124; #36;i #92;j',
    );
  });

  test('is one line', () => {
    expect(escapeLabel('  a\n\tb\u0000c \u2028d ')).toBe('a b c d');
  });

  test('is truncated between characters if it would be too wide', () => {
    const long = escapeLabel('😀'.repeat(200));
    expect([...long]).toHaveLength(80);
    expect(long.endsWith('😀…')).toBe(true);
  });

  test('never closes its quotes, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const codes = escapeLabel(text).replaceAll(/#\d+;/g, '');
        expect(codes).not.toMatch(/["#&<>`|$\\[\](){}\p{Cc}]/u);
      }),
    );
  });
});

describe('a flowchart', () => {
  test('uses its own names, groups by indentation, and has the arrows after the nodes', () => {
    const chart = new Flowchart();
    const start = chart.node('end', ['start']);
    const { name, inside } = chart.group('g', () => chart.node('call', ['one', 'two'], 'red'));
    chart.connect([{ from: start }], inside);
    chart.connect([{ from: name, label: 'then', dotted: true }], start);
    expect(chart.toText({ red: 'stroke:#f00', unused: 'stroke:#000' })).toBe(
      [
        'flowchart TD',
        '  n1(["start"])',
        '  subgraph g2 ["g"]',
        '    n3["one<br/>two"]',
        '  end',
        '  n1 --> n3',
        '  g2 -.->|"then"| n1',
        '  classDef red stroke:#f00',
        '  class n3 red',
      ].join('\n'),
    );
  });
});
