/** Text from agents, users and repositories made fit for VS Code's own places. Pure. */

const MARK = '\u2060'; // word joiner: invisible, and no part of any link syntax
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;
/** What joins two emoji, or makes one of a sign, is seen in them; elsewhere it is not. */
const OFF_EMOJI = /(?<!\p{ExtPict}\ufe0f?\p{EMod}?)\u200d|\u200d(?!\p{ExtPict})|(?<!\p{Emoji})\ufe0f/u;
const ODD = new RegExp(`${INVISIBLE.source}|${OFF_EMOJI.source}`, 'gu');

/** Characters that cannot be seen, or that change what is seen, written out: `\u{202e}` (X51). Line ends are kept. */
export function visible(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(ODD, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * Text for notifications, titles, prompts, placeholders and tree messages, where VS Code makes links of `[x](y)` and
 * icons of `$(x)` also in plain strings (X48). One line, cut.
 */
export function neutral(text: string, most = 300): string {
  const line = visible(text).replace(/\s+/g, ' ').trim();
  return cut(line, most).replaceAll('](', `]${MARK}(`).replaceAll('$(', `$${MARK}(`);
}

/** The first line that says something, for labels. */
export function firstLine(text: string, most = 120): string {
  const line = visible(text).split('\n').find((one) => one.trim() !== '') ?? '';
  return cut(line.replace(/\s+/g, ' ').trim(), most);
}

const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** At most so many UTF-16 units, never half a character, with a sign that something is missing. */
export function cut(text: string, most: number): string {
  if (text.length <= most) {
    return text;
  }
  const end = CHARACTERS.segment(text.slice(0, most + 1)).containing(most - 1)?.index ?? most - 1;
  return `${text.slice(0, end)}…`;
}

/** `not_converged` → `not converged`. */
export function words(name: string): string {
  return name.replaceAll('_', ' ');
}

/** How long, for people: `8 s`, `3 min`, `2 h 5 min`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) {
    return `${whole} s`;
  }
  const minutes = Math.round(whole / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How long ago, for people; empty for no time. */
export function ago(time: string, now: number): string {
  const then = Date.parse(time);
  if (Number.isNaN(then)) {
    return '';
  }
  const minutes = Math.floor(Math.max(0, now - then) / 60_000);
  if (minutes < 1) {
    return 'just now';
  }
  if (minutes < 60) {
    return minutes === 1 ? '1 minute ago' : `${minutes} minutes ago`;
  }
  const hours = Math.floor(minutes / 60);
  if (hours < 48) {
    return hours === 1 ? '1 hour ago' : `${hours} hours ago`;
  }
  return `${Math.floor(hours / 24)} days ago`;
}

/** A name of the server's (`wall_seconds`) as the protocol has it (`wallSeconds`). */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
