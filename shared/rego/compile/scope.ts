import { type Location, RegoError } from '../errors.ts';

/** The paths, from `data` or `input`, of a module's global names: rules of its package and imports. */
export type Globals = ReadonlyMap<string, readonly string[]>;

/**
 * Names of one rule. Every variable gets a unique name (`x#3`), so shadowing no longer matters after this step. `level`
 * is the depth of the body that owns the variable.
 */
export class Names {
  private readonly levels = new Map<string, number>();

  /** Creates a variable. */
  make(name: string, level: number): string {
    const unique = `${name}#${this.levels.size}`;
    this.levels.set(unique, level);
    return unique;
  }

  /** Returns the level of the body that owns a variable. */
  level(unique: string): number {
    return this.levels.get(unique) ?? 0;
  }
}

/** Returns the name that the author wrote. */
export function sourceName(unique: string): string {
  const at = unique.lastIndexOf('#');
  return at === -1 ? unique : unique.slice(0, at);
}

/** Variables of one body, inside the scopes around it. */
export class Scope {
  readonly level: number;
  readonly names: Names;
  /** The body that owns the variables which are created here. */
  private readonly owner: Scope;
  private readonly outer: Scope | null;
  private readonly own = new Map<string, string>();
  private readonly declared = new Set<string>();
  private readonly used = new Set<string>();

  private constructor(names: Names, outer: Scope | null, owner: Scope | null) {
    this.names = names;
    this.outer = outer;
    this.owner = owner ?? this;
    this.level = outer === null ? 0 : outer.level + 1;
  }

  /** A body with variables of its own. */
  static of(names: Names, outer: Scope | null): Scope {
    return new Scope(names, outer, null);
  }

  /** A body whose variables belong to the body around it. */
  static inside(outer: Scope): Scope {
    return new Scope(outer.names, outer, outer.owner);
  }

  /** Returns the variable that a name means here, or null where no scope has it. */
  find(name: string): string | null {
    return this.own.get(name) ?? this.outer?.find(name) ?? null;
  }

  /** Records that this body reads a name. */
  use(name: string): void {
    this.owner.used.add(name);
  }

  /** Adds a variable to this body without a declaration. */
  imply(name: string): string {
    const unique = this.owner.wildcard(name);
    this.owner.own.set(name, unique);
    return unique;
  }

  /** Creates a variable that no name finds. */
  wildcard(name = '_'): string {
    return this.names.make(name, this.owner.level);
  }

  /** Declares a variable by `:=`, `some`, `every` or as an argument. */
  declare(name: string, at: Location, how: 'assigned' | 'declared'): string {
    if (name === 'input' || name === 'data') {
      throw new RegoError('compile', `variables must not shadow ${name} (use a different variable name)`, at);
    }
    if (this.declared.has(name)) throw new RegoError('compile', `var ${name} ${how} above`, at);
    if (this.used.has(name)) throw new RegoError('compile', `var ${name} referenced above`, at);
    if (this.level === 1 && this.outer?.declared.has(name))
      throw new RegoError('compile', `arg ${name} redeclared`, at);
    this.declared.add(name);
    // A template among the arguments reads variables of the body.
    const read = this.level === 1 ? this.outer?.own.get(name) : undefined;
    if (read !== undefined) {
      this.own.set(name, read);
      return read;
    }
    return this.imply(name);
  }
}
