/** The manifest against its texts, against the code, and against the rules for trust. */

import * as fs from 'node:fs';
import * as path from 'node:path';

import * as ts from 'typescript';
import { describe, expect, test } from 'vitest';

import { Commands } from '../../src/protocol';
import { sources } from '../support/requests';

const EXTENSION = path.join(__dirname, '..', '..');
const read = (name: string): string => fs.readFileSync(path.join(EXTENSION, name), 'utf8');

interface Command {
  readonly command: string;
  readonly title: string;
  readonly category?: string;
  readonly enablement?: string;
}

interface Setting {
  readonly scope?: string;
  readonly ignoreSync?: boolean;
  readonly default?: unknown;
  readonly order?: number;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly markdownDescription?: string;
}

interface Item {
  readonly command: string;
  readonly when?: string;
}

interface Manifest {
  readonly engines: { readonly vscode: string };
  readonly activationEvents: readonly string[];
  readonly extensionKind: readonly string[];
  readonly l10n?: string;
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly supported: unknown; readonly description: string; readonly restrictedConfigurations: readonly string[] };
    readonly virtualWorkspaces: { readonly supported: boolean };
  };
  readonly contributes: Readonly<Record<string, unknown>> & {
    readonly commands: readonly Command[];
    readonly menus: Readonly<Record<string, readonly Item[]>>;
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly icon?: string }[]>>;
    readonly viewsWelcome: readonly { readonly view: string; readonly contents: string; readonly when: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, Setting>> };
  };
}

const text = read('package.json');
const manifest = JSON.parse(text) as Manifest;
const nls = JSON.parse(read('package.nls.json')) as Record<string, string>;
const { commands, menus, configuration, viewsWelcome, views } = manifest.contributes;
const files = sources(path.join(EXTENSION, 'src')).map((file): [string, string] => [path.relative(EXTENSION, file), fs.readFileSync(file, 'utf8')]);
const code = files.map(([, content]) => content).join('\n');

describe('texts', () => {
  const used = [...text.matchAll(/"%([^%"]+)%"/g)].map((found) => found[1] ?? '');

  test('none is missing, none is unused', () => {
    expect([...new Set(used)].sort()).toEqual(Object.keys(nls).sort());
  });

  test('nothing that people read stands in the manifest itself', () => {
    const bare = [...text.matchAll(/"(title|description|markdownDescription|contents|displayName|name|altText)": "([^%"][^"]*)"/g)];
    expect(bare.map((found) => found[2])).toEqual(['sprintwright', 'Sprintwright']); // the package's name, the settings' title
  });

  test.each(Object.entries(nls).filter(([key]) => key.startsWith('command.')))('%s is “%s”: a verb, no product name, no icon', (_key, title) => {
    expect(title).toMatch(/^[A-Z][a-z]+/);
    expect(title).not.toMatch(/Sprintwright|\$\(|\p{ExtPict}/u);
  });
});

describe('commands', () => {
  test('x002: those of the manifest are those of the code', () => {
    const source = ts.createSourceFile('commands.ts', read('src/commands.ts'), ts.ScriptTarget.ES2022, true);
    const registered: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isVariableDeclaration(node) && ['verb', 'always'].includes(node.name.getText(source)) && node.initializer !== undefined && ts.isObjectLiteralExpression(node.initializer)) {
        registered.push(...node.initializer.properties.map((one) => `sprintwright.${(one.name?.getText(source) ?? '').replaceAll("'", '')}`));
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    expect(registered.sort()).toEqual(commands.map((one) => one.command).sort());
    expect(code.match(/registerCommand\(/g)).toHaveLength(1); // no command beside the guarded ones
  });

  test.each(commands.map((one): [string, Command] => [one.command, one]))('%s has its title and the category of all', (id, one) => {
    expect(one.title).toBe(`%command.${id.replace('sprintwright.', '')}%`);
    expect(one.category).toBe('Sprintwright');
  });

  test('x002: only those that act on no run are there without trust', () => {
    const always = commands.filter((one) => one.enablement === undefined).map((one) => one.command.replace('sprintwright.', ''));
    expect(always.sort()).toEqual(['choosePython', 'copyDiagnostics', 'restartServer', 'setUp', 'showLog', 'validateWorkflow']);
    expect([...new Set(commands.map((one) => one.enablement))]).toEqual(['isWorkspaceTrusted', undefined]);
  });

  test('menus and texts name only commands that there are', () => {
    const known = new Set(commands.map((one) => one.command));
    const inMenus = Object.values(menus).flatMap((items) => items.map((one) => one.command));
    const linked = [...`${Object.values(nls).join('\n')}\n${code}`.matchAll(/(?:command:|['`])(sprintwright\.[a-z]+[A-Z]\w*)/g)].map((found) => found[1] ?? '');
    const others = /^sprintwright\.(runActive|hasRuns|importStrategy|server|waiting)$/;
    expect([...inMenus, ...linked].filter((one) => !known.has(one) && !others.test(one))).toEqual([]);
  });

  test('the server’s commands have other ids than ours', () => {
    const theirs = new Set<string>(Object.values(Commands));
    expect(commands.filter((one) => theirs.has(one.command))).toEqual([]);
  });

  test('x002: what changes a run is offered for runs of one’s own only', () => {
    const looks = ['openNode', 'showPlan', 'showFindings', 'showSummary', 'showTranscript', 'showChanges', 'copyNode'];
    const acts = (menus['view/item/context'] ?? []).filter((one) => one.when?.includes('sprintwright.runs') && !looks.includes(one.command.replace('sprintwright.', '')));
    expect(acts.length).toBeGreaterThan(5);
    expect(acts.filter((one) => one.when?.includes('/;own;/') !== true)).toEqual([]);
  });

  test('a line of a tree has at most two buttons at a time', () => {
    const inline = (menus['view/item/context'] ?? []).filter((one) => (one as { group?: string }).group?.startsWith('inline'));
    for (const state of [';run;running;own;live;', ';run;paused;own;', ';run;interrupted;own;resumable;', ';node;turn;done;own;', ';workflow;builtin;whole;']) {
      const view = state.includes('workflow') ? 'sprintwright.workflows' : 'sprintwright.runs';
      expect(inline.filter((one) => holds(one.when ?? '', view, state)).length).toBeLessThanOrEqual(2);
    }
  });

  /** Conditions of the form `view == x && viewItem =~ /y/ && !(viewItem =~ /z/)`. */
  function holds(when: string, view: string, item: string): boolean {
    return when.split(' && ').every((part) => {
      const pattern = /viewItem =~ \/(.+?)\/\)?$/.exec(part)?.[1];
      if (pattern === undefined) {
        return part === `view == ${view}`;
      }
      return new RegExp(pattern).test(item) !== part.startsWith('!');
    });
  }
});

describe('settings', () => {
  const settings = Object.entries(configuration.properties);
  /** Names that say what is run, with what, or where to. */
  const DANGEROUS = /python|path|program|command|executable|interpreter|agent|role|primary|env|argument|strategy|url|host|endpoint|server$|limits/i;

  test.each(settings.filter(([name]) => DANGEROUS.test(name) && !name.includes('.trace.')))('x008: %s is the user’s alone', (name, one) => {
    expect(one.scope).toBe('machine');
    expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toContain(name);
  });

  test('x008: those that are restricted are there, and what is not restricted names nothing that runs', () => {
    const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
    expect(restricted.filter((name) => !(name in configuration.properties))).toEqual([]);
    const free = settings.map(([name]) => name).filter((name) => !restricted.includes(name));
    expect(free.filter((name) => !/\.(notifications|runs|trace)\./.test(name))).toEqual([]);
  });

  test.each(settings)('%s has a default, a text and a place, and a text for each choice', (_name, one) => {
    expect(one).toHaveProperty('default');
    expect(one.markdownDescription).toMatch(/^%setting\./);
    expect(one.order).toBeGreaterThan(0);
    expect(one.enumDescriptions?.length).toBe(one.enum?.length);
  });

  test('their order is that of the list', () => {
    expect(settings.map(([, one]) => one.order)).toEqual(settings.map((_, index) => index + 1));
  });

  test('texts refer only to settings that there are', () => {
    const named = [...JSON.stringify(nls).matchAll(/`#([\w.]+)#`/g)].map((found) => found[1] ?? '');
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !(name in configuration.properties))).toEqual([]);
  });

  test('every setting that the code reads is there', () => {
    const prefixes: Record<string, string> = { 'attention.ts': 'notifications.' };
    for (const [file, content] of files) {
      for (const [, name = ''] of content.matchAll(/setting(?:<\w+>)?\('([\w.]+)'/g)) {
        expect(configuration.properties, file).toHaveProperty([`sprintwright.${prefixes[path.basename(file)] ?? ''}${name}`]);
      }
    }
  });
});

describe('trust', () => {
  test('x002: there is no way in beside the guarded commands', () => {
    for (const point of ['taskDefinitions', 'debuggers', 'terminal', 'authentication', 'languageModelTools', 'chatParticipants', 'customEditors', 'notebooks', 'problemMatchers', 'breakpoints']) {
      expect(manifest.contributes).not.toHaveProperty(point);
    }
    expect(manifest.activationEvents).toEqual(['workspaceContains:.sprintwright']);
    expect(code).not.toMatch(/registerUriHandler|registerTaskProvider|registerDebug|registerTerminalProfile|createTerminal\(|registerChat|\.lm\.register|invokeTool/);
  });

  test('x002: models are asked at one place, and for the server only', () => {
    const uses = files.filter(([, content]) => /\blm\.|\.sendRequest\(messages/.test(content)).map(([file]) => file);
    expect(uses.sort()).toEqual(['src/models/api.ts', 'src/models/models.ts']);
  });

  test('without it help with workflow files only; no virtual workspaces; where the folder is', () => {
    expect(manifest.capabilities.untrustedWorkspaces.supported).toBe('limited');
    expect(manifest.capabilities.virtualWorkspaces.supported).toBe(false);
    expect(manifest.extensionKind).toEqual(['workspace']);
  });

  test('x053, x049: no webview, no trusted Markdown, no HTML', () => {
    for (const [file, content] of files) {
      expect(content, file).not.toMatch(/[wW]ebview|isTrusted\s*=|isTrusted:|supportHtml|MarkdownString/);
    }
    expect(text).not.toMatch(/webview/i);
  });

  test('x079: nothing is sent anywhere, and no key is kept', () => {
    expect(code).not.toMatch(/\bfetch\(|node:https?|node:net|telemetry|context\.secrets/i);
  });
});

describe('views', () => {
  const ids = Object.values(views).flat().map((one) => one.id);

  test('each has an icon and something to say when it is empty', () => {
    expect(Object.values(views).flat().filter((one) => one.icon === undefined)).toEqual([]);
    expect(new Set(viewsWelcome.map((one) => one.view))).toEqual(new Set(ids));
  });

  const states = ['starting', 'ready', 'notSetUp', 'noPython', 'tooOld', 'broken', 'cannotRun', 'ended'];
  const worlds = states.flatMap((server) => [true, false].flatMap((trusted) => [0, 1].map((folders): [string, boolean, number] => [server, trusted, folders])));

  test.each(worlds)('server %s, trusted %s, %d folders: exactly one text', (server, trusted, folders) => {
    const shown = viewsWelcome.filter((one) => one.view === 'sprintwright.runs' && holds(one.when, { server, trusted, folders }));
    expect(shown).toHaveLength(1);
  });

  test.each(viewsWelcome.map((one): [string, string] => [one.contents, nls[one.contents.replaceAll('%', '')] ?? '']))('%s has a first button, and says what it is for', (key, contents) => {
    if (key === '%welcome.starting%') {
      expect(contents).toContain('(command:sprintwright.showLog)'); // nothing to do but to wait
      return;
    }
    const lines = contents.split('\n');
    expect(lines[0]).not.toMatch(/^\[/);
    const buttons = lines.filter((line) => /^\[[^\]]+\]\(command:[\w.]+\)$/.test(line));
    expect(buttons.length).toBeGreaterThanOrEqual(1);
    expect(buttons[0]).toMatch(/^\[[A-Z]/);
  });

  /** The conditions of ours: `&&`, `||`, `==`, `!=`, `!` and brackets. */
  function holds(when: string, world: { server: string; trusted: boolean; folders: number }): boolean {
    const values: Record<string, string | number | boolean> = {
      isWorkspaceTrusted: world.trusted, workspaceFolderCount: world.folders, 'sprintwright.server': world.server,
    };
    const terms = when.replace(/[()]/g, '').split(' && ').map((all) => all.split(' || '));
    return terms.every((any) => any.some((term) => {
      const [, not, name = '', operator, value] = /^(!?)([\w.]+)(?: (==|!=) (\w+))?$/.exec(term) ?? [];
      expect(values, term).toHaveProperty([name]);
      const given = values[name];
      const is = operator === undefined ? given === true : String(given) === value;
      return is !== (not === '!' || operator === '!=');
    }));
  }
});
