/** Questions of a wizard, one at a time, with a Back that works. */

import * as vscode from 'vscode';

export interface Choice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

/** What a step came to: the user went back, gave up, or answered. */
export type Answer<T> = { readonly kind: 'back' | 'end' } | { readonly kind: 'value'; readonly value: T };

interface Place {
  readonly title: string;
  readonly step: number;
  readonly total: number;
}

/** Choose one of a list. */
export function pick<T>(place: Place, placeholder: string, choices: readonly Choice<T>[], active?: T): Promise<Answer<T>> {
  const input = vscode.window.createQuickPick<Choice<T>>();
  input.items = choices;
  input.placeholder = placeholder;
  input.matchOnDescription = true;
  input.matchOnDetail = true;
  const first = choices.find((choice) => choice.value === active);
  if (first !== undefined) {
    input.activeItems = [first];
  }
  return shown(input, place, (accept) => {
    input.onDidAccept(() => {
      const chosen = input.selectedItems[0];
      if (chosen !== undefined) {
        accept(chosen.value);
      }
    });
  });
}

/** Ask for words; an empty answer is not taken. */
export function write(place: Place, prompt: string, value: string): Promise<Answer<string>> {
  const input = vscode.window.createInputBox();
  input.prompt = prompt;
  input.value = value;
  return shown(input, place, (accept) => {
    input.onDidChangeValue(() => {
      input.validationMessage = undefined;
    });
    input.onDidAccept(() => {
      if (input.value.trim() === '') {
        input.validationMessage = vscode.l10n.t('Say something, or press Escape to give up.');
      } else {
        accept(input.value);
      }
    });
  });
}

function shown<T>(
  input: vscode.QuickPick<Choice<T>> | vscode.InputBox, place: Place, listen: (accept: (value: T) => void) => void,
): Promise<Answer<T>> {
  input.title = place.title;
  input.step = place.step;
  input.totalSteps = place.total;
  input.ignoreFocusOut = true;
  input.buttons = place.step > 1 ? [vscode.QuickInputButtons.Back] : [];
  return new Promise((resolve) => {
    let answer: Answer<T> = { kind: 'end' };
    listen((value) => {
      answer = { kind: 'value', value };
      input.hide();
    });
    input.onDidTriggerButton((button) => {
      if (button === vscode.QuickInputButtons.Back) {
        answer = { kind: 'back' };
        input.hide();
      }
    });
    input.onDidHide(() => {
      input.dispose();
      resolve(answer);
    });
    input.show();
  });
}
