import { allVersions, schemeOf } from '#shared/base/versions/schemes.ts';
import { withoutInput } from '../parts/form/model/forms.ts';

/** Questions about components, as a person types them and as the address has them (rules/components.md#questions). */

/** What the form holds. */
interface Typed {
  /** A package URL, or the beginning of a name. */
  component: string;
  versions: string;
  /** The text of an instant; empty for now. */
  at: string;
}

/** What the address holds: `purl` asks where a component runs, `q` searches packages. */
interface Asked {
  q?: string | undefined;
  purl?: string | undefined;
  versions?: string | undefined;
  at?: string | undefined;
}

export const isPackageUrl = (text: string): boolean => /^pkg:/i.test(text.trim());

const typeOf = (purl: string): string => /^pkg:\/*([^/]+)\//i.exec(purl)?.[1]?.toLowerCase() ?? '';

/** An `@` that begins a segment belongs to a scope: `pkg:npm/@angular/core` has no version. */
const hasVersion = (purl: string): boolean => /[^/]@/.test(purl.split(/[?#]/)[0] ?? '');

/** The range of a question: a whole one as it was typed, another one with the scheme of the package. Nothing means every version. */
function rangeFor(purl: string, typed: string): string | undefined {
  const range = typed.trim();
  if (/^vers:/i.test(range)) return range;
  if (range !== '') return `vers:${schemeOf(typeOf(purl))}/${range}`;
  return hasVersion(purl) ? undefined : allVersions(typeOf(purl));
}

/** The parameters of the address for what was typed. A text that is no package URL is searched; its range waits for a package. */
export function askedFor({ component, versions, at }: Typed): Asked {
  const text = component.trim();
  const when = { at: at === '' ? undefined : at };
  if (isPackageUrl(text)) return { purl: text, versions: rangeFor(text, versions), ...when };
  return { q: text, versions: versions.trim() || undefined, ...when };
}

/**
 * The question about a package that a search found. A component that names no package is found by its name, whatever the type.
 * Nobody can say whether it is meant, so every range leads to it.
 */
export function askedForPackage(
  { package: found, name }: { package: string | null; name: string },
  { versions = '', at }: Asked,
): Asked {
  const purl = found ?? `pkg:generic/${encodeURIComponent(name)}`;
  const fits = found !== null && (!/^vers:/i.test(versions) || versions.toLowerCase().startsWith(prefixOf(purl)));
  return { purl, versions: rangeFor(purl, fits ? versions : ''), at };
}

const prefixOf = (purl: string): string => `vers:${schemeOf(typeOf(purl))}/`;

/** `all versions`, or the range. Null if the package URL names the version. */
export function versionsText(versions: string | undefined): string | null {
  if (versions === undefined) return null;
  return versions.endsWith('/*') ? 'all versions' : versions;
}

export type Field = keyof Typed;
const FIELDS: Readonly<Record<string, Field>> = {
  purl: 'component',
  name: 'component',
  versions: 'versions',
  at: 'at',
};

/**
 * Finds the field of the form for each error of a refused question.
 * @returns null if the service refused something that the form does not have
 */
export function problemsByField(errors: ReadonlyMap<string, string>): ReadonlyMap<Field, string> | null {
  const placed = new Map<Field, string>();
  for (const [name, sentence] of errors) {
    const field = FIELDS[name.replace(/^query\./, '')];
    if (field === undefined) return null;
    placed.set(field, withoutInput(sentence));
  }
  return placed.size === 0 ? null : placed;
}
