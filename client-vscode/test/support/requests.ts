/** The requests that our sources make of the server: which command, what type is expected back, which fields are sent. */

import * as fs from 'node:fs';
import * as path from 'node:path';

import * as ts from 'typescript';

export interface Sent {
  readonly where: string;
  /** As in `Commands.runGet`. */
  readonly command: string;
  /** The type argument of the call; empty: none. */
  readonly result: string;
  readonly fields: readonly string[];
}

/** TypeScript files below a folder. */
export function sources(folder: string): string[] {
  return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(folder, name));
}

/** Every call whose first argument is one of `Commands`. */
export function requests(folder: string): Sent[] {
  return sources(folder).flatMap((file) => {
    const source = ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
    const found: Sent[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node)) {
        const sent = sentBy(node, source, path.relative(folder, file));
        if (sent !== undefined) {
          found.push(sent);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}

function sentBy(call: ts.CallExpression, source: ts.SourceFile, file: string): Sent | undefined {
  const [command, argument] = call.arguments;
  if (command === undefined || !ts.isPropertyAccessExpression(command) || command.expression.getText(source) !== 'Commands') {
    return undefined;
  }
  const line = source.getLineAndCharacterOfPosition(call.getStart(source)).line + 1;
  return {
    where: `${file}:${line}`,
    command: command.name.text,
    result: call.typeArguments?.[0]?.getText(source) ?? '',
    fields: argument === undefined ? [] : fieldsOf(argument, source, call),
  };
}

/** Names of an object's fields; of spread or named objects those of the nearest declaration. */
function fieldsOf(node: ts.Expression, source: ts.SourceFile, from: ts.Node): string[] {
  if (ts.isObjectLiteralExpression(node)) {
    return node.properties.flatMap((one) =>
      ts.isSpreadAssignment(one) ? fieldsOf(one.expression, source, from) : [one.name.getText(source)],
    );
  }
  if (ts.isParenthesizedExpression(node)) {
    return fieldsOf(node.expression, source, from);
  }
  if (ts.isConditionalExpression(node)) {
    return [...fieldsOf(node.whenTrue, source, from), ...fieldsOf(node.whenFalse, source, from)];
  }
  return ts.isIdentifier(node) ? fieldsOfName(node.text, source, from) : [];
}

function fieldsOfName(name: string, source: ts.SourceFile, from: ts.Node): string[] {
  for (let around: ts.Node | undefined = from.parent; around !== undefined; around = around.parent as ts.Node | undefined) {
    const statements: readonly ts.Statement[] = ts.isBlock(around) ? around.statements : [];
    const declared = statements.flatMap((one) => (ts.isVariableStatement(one) ? [...one.declarationList.declarations] : []));
    for (const declaration of declared) {
      if (declaration.name.getText(source) === name && declaration.initializer !== undefined) {
        return fieldsOf(declaration.initializer, source, declaration);
      }
    }
  }
  return [];
}
