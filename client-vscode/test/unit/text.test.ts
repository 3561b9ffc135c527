/** Text from agents, users and repositories, as it is shown. */

import { describe, expect, test } from 'vitest';

import { line } from '../../src/log';
import { ago, cut, duration, firstLine, neutral, visible, words } from '../../src/text';

describe('visible', () => {
  test.each([
    ['\u202e', '\\u{202e}'], ['\u2066', '\\u{2066}'], ['\u200b', '\\u{200b}'], ['\u200f', '\\u{200f}'], ['\u2060', '\\u{2060}'],
    ['\ufeff', '\\u{feff}'], ['\u00ad', '\\u{ad}'], ['\u2028', '\\u{2028}'], ['\u2029', '\\u{2029}'], ['\u{e0041}', '\\u{e0041}'],
    ['\u{e0100}', '\\u{e0100}'], ['\u0007', '\\u{7}'], ['\u001b', '\\u{1b}'], ['\u0085', '\\u{85}'], ['\u3164', '\\u{3164}'],
    ['\ufe01', '\\u{fe01}'], ['\u034f', '\\u{34f}'], ['a\u200db', 'a\\u{200d}b'], ['a\ufe0f', 'a\\u{fe0f}'],
  ])('x051: writes out what cannot be seen: %j', (given, shown) => {
    expect(visible(`rm${given}x`)).toBe(`rm${shown}x`);
  });

  test.each(['👨‍👩‍👧', '❤️', '👍🏽', '🏳️‍🌈', '👩🏽‍💻', '1️⃣', 'naïve', 'مرحبا', '日本語', '𠮷', 'a\tb'])('x051: leaves %s as it is', (text) => {
    expect(visible(text)).toBe(text);
  });

  test('keeps lines, whatever ends them', () => {
    expect(visible('a\r\nb\rc\nd')).toBe('a\nb\nc\nd');
  });
});

describe('neutral', () => {
  test.each([
    '[ok](command:workbench.action.terminal.new)', '[x](file:///etc/passwd)', '[a](https://example.com "t")', 'x](y', '$(pass) done',
    '\\$(pass)', ']\u200b(command:x)', '$\u200b(pass)', ']\n(x', '[[a](b)](c)', '$$(x)',
  ])('x048: no link and no icon is made of %j', (text) => {
    const shown = neutral(text);
    expect(shown).not.toContain('](');
    expect(shown).not.toContain('$(');
    expect(shown).not.toContain('\n');
  });

  test('x048: reads as before to people', () => {
    expect(neutral('[ok](command:x) $(pass)').replaceAll('\u2060', '')).toBe('[ok](command:x) $(pass)');
  });

  test('is cut before it is made longer, and is one line', () => {
    expect(neutral(`a\n\n  b\t${'c'.repeat(500)}`, 10)).toBe('a b ccccc…');
  });
});

describe('firstLine', () => {
  test('takes the first line that says something', () => {
    expect(firstLine('\n  \n  Add   a flag \nand more')).toBe('Add a flag');
  });

  test('is empty for nothing', () => {
    expect(firstLine(' \n\t\n')).toBe('');
  });
});

describe('cut', () => {
  test('leaves short text, and marks what is missing', () => {
    expect(cut('abc', 3)).toBe('abc');
    expect(cut('abcd', 3)).toBe('ab…');
  });

  test.each(['👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧', '𠮷𠮷𠮷𠮷', 'e\u0301e\u0301e\u0301', '🇩🇪🇫🇷🇯🇵', `a${'\u0301'.repeat(50)}`])('never halves a character of %s', (text) => {
    const characters = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].map((one) => one.segment);
    const prefixes = characters.map((_, index) => characters.slice(0, index).join(''));
    for (let most = 1; most <= text.length; most += 1) {
      const shown = cut(text, most);
      expect(shown.length).toBeLessThanOrEqual(most);
      expect(shown === text || prefixes.includes(shown.slice(0, -1))).toBe(true);
    }
  });
});

test('words of names', () => {
  expect(words('not_converged')).toBe('not converged');
});

test.each([
  [0, '0 s'], [0.4, '0 s'], [8.2, '8 s'], [59.4, '59 s'], [59.6, '1 min'], [180, '3 min'], [3570, '1 h 0 min'], [7500, '2 h 5 min'],
])('%d seconds last %s', (seconds, shown) => {
  expect(duration(seconds)).toBe(shown);
});

test.each([
  ['2026-05-01T10:00:00Z', 'just now'], ['2026-05-01T10:00:30Z', 'just now'], ['2026-05-01T09:59:00Z', '1 minute ago'],
  ['2026-05-01T09:01:00Z', '59 minutes ago'], ['2026-05-01T09:00:00Z', '1 hour ago'], ['2026-04-30T09:00:00Z', '25 hours ago'],
  ['2026-04-29T10:00:00Z', '2 days ago'], ['', ''], ['yesterday', ''],
])('%j is %j', (time, shown) => {
  expect(ago(time, Date.parse('2026-05-01T10:00:00Z'))).toBe(shown);
});

describe('a line of the log', () => {
  test('x055: one event is one line', () => {
    expect(line('a\n2026-01-01 ERROR forged\r\u2028x\u001b[31m')).toBe('a\\n2026-01-01 ERROR forged\\n\\u{2028}x\\u{1b}[31m');
  });

  test('x055: is cut', () => {
    expect(line('x'.repeat(5000))).toHaveLength(2000);
  });
});
