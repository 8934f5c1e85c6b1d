import { readdirSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);
const FOLDER = new URL('shared/exports/families/', ROOT);

/**
 * Reads from the source of the exporter which kinds of lines there are: `policies/version` for a shape with the item `version`
 * in the file `policies`. So a new kind is found without a list that somebody must remember.
 */
export function kindsOfLines(): string[] {
  const modules = readdirSync(FOLDER).map((name) => new Module(new URL(name, FOLDER)));
  return [...new Set(modules.flatMap((module) => module.kinds()))].sort();
}

/** A declaration at the beginning of a line, up to the next one. */
const DECLARATION =
  /^(?:export )?(?:const|(?:async )?function) (\w+)[\s\S]*?(?=^(?:export )?(?:const|(?:async )?function|\/\*\*) |(?![\s\S]))/gm;
const IMPORT = /^import (?:type )?\{([^}]+)\} from '(#shared\/[^']+|\.[^']+)';/gm;
/** The name of the file that a family or a line names. */
const FILE = /(?:linesOf\(|listFamily\(|itemsFamily\(\{\s*name: |file: )\s*'([a-z-]+)'/g;
const CONSTANT = /\b[A-Z][A-Z_]{2,}\b/g;

class Module {
  readonly #parts: ReadonlyMap<string, string>;
  /** Where an imported constant is declared, and under which name. */
  readonly #imports = new Map<string, { file: URL; name: string }>();

  constructor(file: URL) {
    const source = readFileSync(file, 'utf8');
    this.#parts = new Map([...source.matchAll(DECLARATION)].map(([text, name = '']) => [name, text]));
    for (const [, names = '', path = ''] of source.matchAll(IMPORT)) {
      for (const one of names.split(',')) {
        const [name = '', alias = name] = one.trim().split(' as ');
        const from = path.startsWith('#') ? new URL(path.slice(1), ROOT) : new URL(path, file);
        this.#imports.set(alias, { file: from, name });
      }
    }
  }

  kinds(): string[] {
    return [...this.#parts].flatMap(([name, text]) => {
      const files = new Set([...text.matchAll(FILE)].map(([, file]) => file));
      if (files.size === 0) return [];
      const items = [...this.#withConstants(name).matchAll(/item: '([a-z_]+)'/g)].map(([, item]) => item);
      return [...files].flatMap((file) => items.map((item) => `${file}/${item}`));
    });
  }

  /** The text of a declaration, with those of the constants that it names. */
  #withConstants(name: string): string {
    const imported = this.#imports.get(name);
    if (imported) return new Module(imported.file).#withConstants(imported.name);
    const text = this.#parts.get(name) ?? '';
    const inner = [...text.matchAll(CONSTANT)].map(([one]) => one).filter((one) => one !== name);
    return [text, ...inner.map((one) => this.#withConstants(one))].join('\n');
  }
}
