import type { Attestation } from '../../operations.ts';

/** What the service found in the file of an SBOM, as a person reads it. */
interface SbomView {
  /** Why the file could not be read; null if it was read. */
  unreadable: string | null;
  rows: readonly (readonly [label: string, text: string])[];
  /** One sentence per fact that the reporter stated in another way. */
  differences: readonly string[];
}

const NAMES: Readonly<Record<string, string>> = {
  format: 'format',
  package_count: 'number of packages',
  subject: 'subject',
  'subject.name': 'name of the subject',
  'subject.version': 'version of the subject',
  'subject.purl': 'package address of the subject',
  'subject.sha256': 'SHA-256 of the subject',
};

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the view of an SBOM; null for attestations of other types, and for one whose facts were erased. */
export function sbomView({ attestation_type: type, sbom }: Attestation): SbomView | null {
  if (type !== 'sbom' || !isFields(sbom)) return null;
  const { read, unreadable, differences } = sbom;
  return {
    unreadable: typeof unreadable === 'string' ? unreadable : null,
    rows: isFields(read) ? rowsOf(read) : [],
    differences: (Array.isArray(differences) ? differences : []).filter(isFields).map(differenceSentence),
  };
}

function rowsOf({ format, package_count: count, subject }: Record<string, unknown>): SbomView['rows'] {
  const rows: [string, string][] = [
    ['Format', String(format)],
    ['Packages', String(count)],
  ];
  if (!isFields(subject)) return [...rows, ['Describes', 'the file names no single subject']];
  const { name, version, purl, sha256 } = subject;
  rows.push(['Describes', typeof version === 'string' ? `${name} ${version}` : String(name)]);
  if (typeof purl === 'string') rows.push(['Package address', purl]);
  if (typeof sha256 === 'string') rows.push(['SHA-256 of the subject', sha256]);
  return rows;
}

const differenceSentence = ({ field, stated, found }: Record<string, unknown>): string =>
  `The reporter stated ${shown(stated)} as the ${NAMES[String(field)] ?? String(field)}, the file says ${shown(found)}.`;

const shown = (value: unknown): string => (value === null || value === undefined ? 'nothing' : String(value));
