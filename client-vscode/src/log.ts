/** Lines of the log: values from outside cannot forge one (X55). Pure. */

import { visible } from './text';

/** One event, one line. */
export function line(text: string, most = 2000): string {
  return visible(text).replaceAll('\n', '\\n').slice(0, most);
}
