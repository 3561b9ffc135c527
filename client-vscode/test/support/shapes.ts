/** Interfaces and word lists of a TypeScript file as values, so that messages can be held to them, field by field. */

import * as fs from 'node:fs';

import * as ts from 'typescript';

export class Shapes {
  private readonly source: ts.SourceFile;
  private readonly interfaces = new Map<string, ts.InterfaceDeclaration>();
  private readonly aliases = new Map<string, ts.TypeNode>();

  constructor(file: string) {
    this.source = ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
    for (const statement of this.source.statements) {
      if (ts.isInterfaceDeclaration(statement)) {
        this.interfaces.set(statement.name.text, statement);
      } else if (ts.isTypeAliasDeclaration(statement)) {
        this.aliases.set(statement.name.text, statement.type);
      }
    }
  }

  get names(): string[] {
    return [...this.interfaces.keys()];
  }

  /** The words of an alias, as `RunStatus`. */
  words(alias: string): string[] {
    const type = this.aliases.get(alias);
    const parts = type === undefined ? [] : ts.isUnionTypeNode(type) ? [...type.types] : [type];
    return parts.flatMap((part) => (ts.isLiteralTypeNode(part) && ts.isStringLiteral(part.literal) ? [part.literal.text] : []));
  }

  /** Where a value is not of a type: one line for each place; none when it fits to the letter. */
  misfits(value: unknown, name: string): string[] {
    const shape = this.interfaces.get(name);
    return shape === undefined ? [`there is no interface ${name}`] : this.ofMembers(value, this.members(shape), name);
  }

  /** Own members and those of what it extends. */
  private members(shape: ts.InterfaceDeclaration): ts.TypeElement[] {
    const bases = (shape.heritageClauses ?? []).flatMap((clause) => [...clause.types]);
    const inherited = bases.flatMap((base) => {
      const known = this.interfaces.get(base.expression.getText(this.source));
      return known === undefined ? [] : this.members(known);
    });
    return [...inherited, ...shape.members];
  }

  private ofMembers(value: unknown, members: readonly ts.TypeElement[], at: string): string[] {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return [`${at}: no object`];
    }
    const declared = new Map(members.filter(ts.isPropertySignature).map((one) => [one.name.getText(this.source), one]));
    const found = Object.entries(value).flatMap(([field, inside]) => {
      const type = declared.get(field)?.type;
      return type === undefined ? [`${at}.${field}: not declared`] : this.ofType(inside, type, `${at}.${field}`);
    });
    const missing = [...declared].filter(([field, one]) => !(field in value) && one.questionToken === undefined);
    return [...found, ...missing.map(([field]) => `${at}.${field}: not sent`)];
  }

  private ofType(value: unknown, type: ts.TypeNode, at: string): string[] {
    if (ts.isUnionTypeNode(type)) {
      return type.types.some((one) => this.ofType(value, one, at).length === 0) ? [] : [`${at}: fits none of ${type.getText(this.source)}`];
    }
    if (ts.isTypeOperatorNode(type) || ts.isParenthesizedTypeNode(type)) {
      return this.ofType(value, type.type, at); // readonly
    }
    if (ts.isArrayTypeNode(type)) {
      return Array.isArray(value)
        ? value.flatMap((one: unknown, index) => this.ofType(one, type.elementType, `${at}[${index}]`))
        : [`${at}: no list`];
    }
    if (ts.isTypeLiteralNode(type)) {
      return this.ofMembers(value, type.members, at);
    }
    if (ts.isLiteralTypeNode(type)) {
      const literal = ts.isStringLiteral(type.literal) ? type.literal.text : null;
      return value === literal ? [] : [`${at}: not ${type.getText(this.source)}`];
    }
    if (ts.isTypeReferenceNode(type)) {
      return this.ofReference(value, type, at);
    }
    const wanted = type.getText(this.source);
    return wanted === 'unknown' || typeof value === wanted ? [] : [`${at}: no ${wanted}`];
  }

  private ofReference(value: unknown, type: ts.TypeReferenceNode, at: string): string[] {
    const name = type.typeName.getText(this.source);
    const [first, second] = type.typeArguments ?? [];
    if (name === 'Readonly' && first !== undefined) {
      return this.ofType(value, first, at);
    }
    if (name === 'Record' && second !== undefined) {
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).flatMap(([key, one]) => this.ofType(one, second, `${at}[${key}]`))
        : [`${at}: no map`];
    }
    const alias = this.aliases.get(name);
    if (alias !== undefined) {
      return this.ofType(value, alias, at);
    }
    const shape = this.interfaces.get(name);
    return shape === undefined ? [`${at}: unknown type ${name}`] : this.ofMembers(value, this.members(shape), at);
  }
}
