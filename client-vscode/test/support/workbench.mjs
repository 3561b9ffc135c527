// What a user does in a VS Code window, and what they see.
import fs from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';

import { openWindow, ROOT, SCREENS, startCode, temporary } from './harness.mjs';

const PYTHON = path.join(ROOT, '.venv', 'bin', 'python');
const AGENT = path.join(ROOT, 'tests', 'support', 'agent.py');
const SECONDS = 1000;

/** A project of a user with one scripted agent that plays every role (tests/support/agent.py). */
export class Project {
  constructor(home) {
    this.home = home;
    this.folder = path.join(home, 'project');
    this.config = path.join(home, 'config', 'sprintwright');
    this.counts = path.join(home, 'counts');
    fs.mkdirSync(this.folder, { recursive: true });
    fs.mkdirSync(path.join(this.config, 'workflows'), { recursive: true });
    this.script({ '*': [{ text: 'ok' }] });
  }

  /** What the agent says and writes, by leaf key. */
  script(script) {
    fs.writeFileSync(path.join(this.home, 'script'), JSON.stringify(script));
    const agents = { scripted: { kind: 'cli', command: [PYTHON, AGENT, path.join(this.home, 'script'), this.counts] } };
    fs.writeFileSync(path.join(this.config, 'config.yaml'), JSON.stringify({ agents, primary: 'scripted' }));
  }

  /** Recorded turns by leaf key, in place of the script: what is asked, said and written in them. */
  record(turns) {
    fs.writeFileSync(path.join(this.config, 'recording.yaml'), JSON.stringify({ turns }));
    const agents = { recorded: { kind: 'replay', file: 'recording.yaml' } };
    fs.writeFileSync(path.join(this.config, 'config.yaml'), JSON.stringify({ agents, primary: 'recorded' }));
  }

  /** A workflow of the user's own. */
  define(name, text) {
    fs.writeFileSync(path.join(this.config, 'workflows', `${name}.yaml`), text);
  }

  write(name, text) {
    const file = path.join(this.folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    return file;
  }

  /** Prompts that the agent got, with its process. */
  prompts() {
    return fs.existsSync(this.counts)
      ? fs.readFileSync(this.counts, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
      : [];
  }

  runs() {
    const folder = path.join(this.folder, '.sprintwright', 'runs');
    return fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
  }
}

/** VS Code with the extension installed, and a project to open in it. `use` gets the window; screens are kept when it fails. */
export async function withWorkbench({ vsix, settings = {}, env = {}, trust = false, prepare = () => undefined, home = temporary('sw-home'), folder }, use) {
  const project = new Project(home);
  await prepare(project);
  const code = await startCode({
    vsix: [vsix], settings, trust, user: path.join(home, 'code'),
    env: { XDG_CONFIG_HOME: path.join(home, 'config'), XDG_STATE_HOME: path.join(home, 'state'), XDG_RUNTIME_DIR: path.join(home, 'run'), ...env },
  });
  let window;
  try {
    window = await openWindow(code, { folder: folder ?? project.folder });
    await window.goto();
    const bench = new Workbench(window.page, code);
    await bench.page.locator('.monaco-workbench').waitFor({ timeout: 60 * SECONDS });
    await use(bench, project);
  } catch (error) {
    if (window) {
      await new Workbench(window.page, code).screen(`failed-${Date.now()}`);
      console.error(logOf(home));
    }
    throw error;
  } finally {
    await window?.close();
    await code.stop();
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** The end of the extension's own log. */
function logOf(home) {
  const logs = fs.readdirSync(home, { recursive: true }).filter((name) => name.endsWith('Sprintwright.log'));
  return logs.map((name) => fs.readFileSync(path.join(home, name), 'utf8').slice(-3000)).join('\n');
}

export class Workbench {
  constructor(page, code) {
    this.page = page;
    this.code = code;
  }

  /** A picture for people to look at. */
  async screen(name) {
    fs.mkdirSync(SCREENS, { recursive: true });
    await this.page.screenshot({ path: path.join(SCREENS, `${name}.png`) });
  }

  async openView() {
    await this.page.locator(".activitybar .action-item a[aria-label^='Sprintwright']").click({ timeout: 60 * SECONDS });
  }

  /** The status bar says that the server is there. */
  async ready() {
    await this.page.locator('[id="sprintwright.sprintwright.sprintwright.status"]').getByText('Sprintwright').waitFor({ timeout: 60 * SECONDS });
    await this.page.locator('[id="sprintwright.sprintwright.sprintwright.status"] .codicon-list-tree').waitFor({ timeout: 60 * SECONDS });
  }

  /** Run a command by its title in the palette. */
  async command(title) {
    for (let tries = 0; ; tries += 1) {
      await this.page.keyboard.press('F1');
      await this.input.fill(`>${title}`);
      try {
        await this.row(title).first().waitFor({ timeout: 5 * SECONDS });
        break;
      } catch (error) {
        if (tries === 3) {
          throw error;
        }
        await this.page.keyboard.press('Escape'); // what is allowed is told to the palette a little later
      }
    }
    await this.page.keyboard.press('Enter');
  }

  get quick() {
    return this.page.locator('.quick-input-widget');
  }

  get input() {
    return this.page.locator('.quick-input-widget .quick-input-box input');
  }

  row(text) {
    return this.page.locator('.quick-input-widget .monaco-list-row').filter({ hasText: text });
  }

  /** The question of a wizard: wait for its prompt, then choose a row. */
  async choose(prompt, text) {
    await this.asked(prompt);
    await this.input.fill(text); // the list shows only what fits into it
    const label = this.page.locator('.label-name', { hasText: new RegExp(`^${text}$`) });
    await this.page.locator('.quick-input-widget .monaco-list-row').filter({ has: label }).first().click();
  }

  async fill(prompt, text) {
    await this.asked(prompt);
    await this.input.fill(text);
    await this.page.keyboard.press('Enter');
  }

  async asked(prompt) {
    await this.page.waitForFunction(
      (wanted) => {
        const widget = document.querySelector('.quick-input-widget');
        if (!widget || getComputedStyle(widget).display === 'none') {
          return false;
        }
        const input = widget.querySelector('.quick-input-box input');
        return `${widget.textContent} ${input?.getAttribute('placeholder') ?? ''}`.includes(wanted);
      },
      prompt,
      { timeout: 20 * SECONDS },
    );
  }

  /** A line of the tree Runs whose label and description have the words, in their order. */
  line(...words) {
    const all = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*'));
    return this.page.locator('.tree-explorer-viewlet-tree-view .monaco-list-row, .customview-tree .monaco-list-row').filter({ hasText: all });
  }

  async see(...words) {
    await this.line(...words).first().waitFor({ timeout: 30 * SECONDS });
  }

  /** Choose from a line's own menu. */
  async menu(line, title) {
    await line.click({ button: 'right' });
    const item = this.page.getByRole('menuitem', { name: title });
    await item.hover(); // a menu that has just opened does not take a click: it could be the end of the one that opened it
    await this.page.locator('.monaco-menu .action-item.focused', { hasText: title }).waitFor();
    await this.page.keyboard.press('Enter');
  }

  toast(text) {
    return this.page.locator('.notification-toast').filter({ hasText: text });
  }

  dialog(text) {
    return this.page.locator('.monaco-dialog-box').filter({ hasText: text });
  }

  /** Open a file of the folder by name. */
  async open(name) {
    await this.page.keyboard.press('Control+p');
    await this.input.fill(name);
    await this.row(path.basename(name)).first().waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.getByRole('tab', { name: new RegExp(path.basename(name)) }).first().waitFor();
  }

  async goTo(line, column) {
    await this.page.keyboard.press('Control+g');
    await this.input.fill(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.quick.waitFor({ state: 'hidden' });
    await this.page.locator('.statusbar-item').getByText(`Ln ${line}, Col ${column}`).waitFor();
    await this.page.locator('.monaco-editor.focused').waitFor();
  }

  /** Press a key, or a chord of them, for what shall come up; again, as a user does, when it asked before the editor had anything to show. */
  async pressFor(chord, shown) {
    for (let tries = 0; ; tries += 1) {
      for (const key of chord.split(' ')) {
        await this.page.keyboard.press(key);
      }
      try {
        await shown.first().waitFor({ timeout: 10 * SECONDS });
        return;
      } catch (error) {
        if (tries === 3) {
          throw error;
        }
        await this.page.keyboard.press('Escape');
      }
    }
  }
}

/** Processes whose command line has a text; for looking, never for ending. */
export function processes(text) {
  return execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(text) && !line.includes('ps -eo'));
}
