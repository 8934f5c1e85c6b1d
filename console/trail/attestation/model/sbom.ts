import { count } from '../../../model/words.ts';
import type { Attestation } from '../../operations.ts';
import { fieldOf, isFields, textOf } from './fields.ts';

/** What the service found in the file of an SBOM, as a person reads it. */
export interface SbomView {
  sentence: string;
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

/** Returns the view of an SBOM; null for attestations of other types, and for one without what the service read. */
export function sbomView({ attestation_type: type, sbom, attestation_data: data }: Attestation): SbomView | null {
  if (type !== 'sbom' || !isFields(sbom)) return null;
  const { read, unreadable, differences } = sbom;
  return {
    sentence: sentenceOf(read, unreadable),
    rows: [...(isFields(read) ? rowsOf(read) : []), ...statedRows(data)],
    differences: (Array.isArray(differences) ? differences : []).filter(isFields).map(differenceSentence),
  };
}

function sentenceOf(read: unknown, unreadable: unknown): string {
  if (!isFields(read)) {
    const reason = typeof unreadable === 'string' ? `: ${unreadable}` : '.';
    return `The file could not be read, so its packages are not known${reason}`;
  }
  const number = fieldOf(read, 'package_count');
  return typeof number === 'number' ? `The file lists ${count(number, 'package')}.` : 'The file was read.';
}

/** What only the reporter says. */
function statedRows(data: unknown): [string, string][] {
  const document = fieldOf(data, 'document');
  const tools = fieldOf(document, 'tools');
  const [made, names] = [
    textOf(document, 'created_at'),
    Array.isArray(tools) ? tools.filter((tool) => typeof tool === 'string').join(', ') : '',
  ];
  return [...(made === null ? [] : [row('Made', made)]), ...(names === '' ? [] : [row('Made with', names)])];
}

const row = (label: string, text: string): [string, string] => [label, text];

function rowsOf({ format, package_count: packages, subject }: Readonly<Record<string, unknown>>): SbomView['rows'] {
  const rows: [string, string][] = [
    ['Format', String(format)],
    ['Packages', String(packages)],
  ];
  if (!isFields(subject)) return [...rows, ['Describes', 'the file names no single subject']];
  const { name, version, purl, sha256 } = subject;
  rows.push(['Describes', typeof version === 'string' ? `${name} ${version}` : String(name)]);
  if (typeof purl === 'string') rows.push(['Package address', purl]);
  if (typeof sha256 === 'string') rows.push(['SHA-256 of the subject', sha256]);
  return rows;
}

const differenceSentence = ({ field, stated, found }: Readonly<Record<string, unknown>>): string =>
  `The reporter stated ${shown(stated)} as the ${NAMES[String(field)] ?? String(field)}, the file says ${shown(found)}.`;

const shown = (value: unknown): string => (value === null || value === undefined ? 'nothing' : String(value));
