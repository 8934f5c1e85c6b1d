import type { AttestationId, FlowId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import { type Grade, reachesGrade } from '#shared/evidence/rules/verification.ts';
import { answerOfListed, type ListedVersion } from './held-versions.ts';
import { parsePackageUrl } from './package-url.ts';
import { questionOf } from './question.ts';
import { compareTexts } from './versions/order.ts';
import type { VexEntry } from './vex-entries.ts';

/** What statements of OpenVEX say of the components of an artifact (rules/components.md#statements-that-count). */

/** A statement with its attestation. */
export interface Said extends VexEntry {
  attestation: AttestationId;
  flow: FlowId;
  trail: TrailName;
  /** When the attestation was reported. */
  at: Micros;
  /** Who reported it. */
  by: string;
  grade: Grade;
  /** Whose signature was verified; null if none was. */
  signer: string | null;
}

/** A component of the asked package. */
interface Held extends ListedVersion {
  /** Null for a component without a package URL. */
  package: string | null;
}

/** What statements say of one row of an answer. */
interface SaidOfRow {
  /** Whether each component is said not to be affected, or fixed, and nothing that counts says otherwise. */
  isCleared: boolean;
  /** The statements that count, those that contradict first, then the newest first. */
  statements: Said[];
}

/**
 * Returns what statements say of an artifact that holds components of the asked package.
 *
 * @param all statements about the artifact: about the asked package, or about the whole artifact
 * @param vulnerability only statements about it count; null for statements about whatever vulnerability of the package
 */
export function saidOfRow(all: readonly Said[], held: readonly Held[], vulnerability: string | null): SaidOfRow {
  const asked = all.filter((said) => isAsked(said, vulnerability)).toSorted(newestFirst);
  const parts = asked.map((said) => ({ said, isAbout: aboutPart(said.part) }));
  const found = held.map((component) =>
    standing(parts.filter(({ isAbout }) => isAbout(component)).map(({ said }) => said)),
  );
  // A statement with several parts is one statement.
  const distinct = new Map(found.flat().map((said) => [`${said.attestation}#${said.number}`, said]));
  const statements = [...distinct.values()].toSorted(newestFirst);
  return {
    isCleared: found.every((said) => said.length > 0 && said.every(clears)),
    statements: [...statements.filter((said) => !clears(said)), ...statements.filter(clears)],
  };
}

/** Names of vulnerabilities are the same in upper and lower case. */
export const vulnerabilityText = (name: string): string => name.trim().toLowerCase();

const clears = ({ status }: Said): boolean => status === 'not_affected' || status === 'fixed';

const isAsked = ({ vulnerabilities, part }: Said, vulnerability: string | null): boolean =>
  vulnerability === null
    ? part !== null
    : vulnerabilities.some((name) => vulnerabilityText(name) === vulnerabilityText(vulnerability));

/** Returns whether a statement about a part is about a component: the part has no other version and no other qualifiers, or there is none. */
function aboutPart(part: string | null): (component: Held) => boolean {
  if (part === null) return () => true;
  const purl = parsePackageUrl(part);
  if (purl === null) return () => false;
  const question = questionOf(purl);
  return (component) => component.package === question.package && answerOfListed(question, component) === 'yes';
}

/**
 * Returns the statements that no later one replaces. A later statement about the same vulnerability replaces one of the same or of a
 * lesser grade: nobody takes back by a key alone what was signed.
 *
 * @param newest the newest first
 */
function standing(newest: readonly Said[]): Said[] {
  const replaced = new Map<string, Grade[]>();
  return newest.filter(({ vulnerabilities, grade }) => {
    const names = vulnerabilities.map(vulnerabilityText);
    const stands = !names.some((name) => replaced.get(name)?.some((later) => reachesGrade(later, grade)));
    for (const name of names) replaced.set(name, [...new Set([...(replaced.get(name) ?? []), grade])]);
    return stands;
  });
}

const newestFirst = (a: Said, b: Said): number =>
  b.at - a.at || compareTexts(b.attestation, a.attestation) || b.number - a.number;
