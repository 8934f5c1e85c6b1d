import { count } from '../../../model/words.ts';
import type { Preview } from '../../operations.ts';
import { type FailedTest, junitFile } from './junit-file.ts';
import { type SarifView, sarifView } from './sarif.ts';
import { type Package, packagesOf } from './sbom-file.ts';

/** A text of a file, or of a file in an archive. */
interface PreviewedText {
  /** Name of the file in the archive; null for the attached file itself. */
  name: string | null;
  text: string;
  isCut: boolean;
}

/** The texts of a preview. */
export function textsOf({ text, truncated, files }: Preview): PreviewedText[] {
  if (text !== null) return [{ name: null, text, isCut: truncated }];
  return (files ?? []).flatMap(({ name, text, truncated }) =>
    text === null ? [] : [{ name, text, isCut: truncated }],
  );
}

/** Why nothing of a file is shown, or what is left out; empty if all of it is shown. */
export function previewNote({ kind, truncated, files, file_count: all, why }: Preview): string {
  if (kind === 'text') return truncated ? 'Only the first 256 KB are shown. Download the file for the rest.' : '';
  if (kind === 'archive') {
    const shown = (files ?? []).filter(({ text }) => text !== null).length;
    const whole = (files ?? []).every(({ truncated }) => !truncated);
    const rest = shown === all && whole ? '' : ` The text of ${shown} is shown, up to 256 KB together.`;
    return `An archive with ${count(all ?? 0, 'file')}.${rest}`;
  }
  switch (why) {
    case 'too_large':
      return 'Pictures and archives of more than 1 MB are not shown. Download the file.';
    case 'not_text':
      return 'The file is neither text nor a picture. Download the file.';
    case 'damaged':
      return 'The file is packed, and cannot be unpacked.';
    case 'missing':
      return 'The bucket no longer has this file.';
    case 'other_content':
      return 'The stored file has another SHA-256 than the one that was recorded, so nothing of it is shown.';
    default:
      return '';
  }
}

/** Whether a note says that the evidence itself is damaged. */
export const isDamage = ({ why }: Preview): boolean => why === 'missing' || why === 'other_content';

interface FailedTests {
  tests: FailedTest[];
  /** Says that the files show fewer failures than the report counts; empty if they show as many. */
  note: string;
}

/**
 * Takes the tests that failed from the files of a report. The report itself has numbers only.
 * @param stated how many failures the report counts
 */
export function failedTests(preview: Preview, stated: number): FailedTests {
  const read = textsOf(preview).flatMap(({ text }) => junitFile(text) ?? []);
  const tests = read.flatMap(({ failed }) => failed);
  if (tests.length === stated) return { tests, note: '' };
  if (read.length === 0) return { tests, note: 'The attached file does not name the tests that failed.' };
  const all = `The report counts ${count(stated, 'failure')}; the attached file shows ${tests.length}`;
  const isCut = read.some(({ isComplete }) => !isComplete) || preview.truncated || preview.kind === 'archive';
  return { tests, note: `${all}${isCut && tests.length < stated ? ', because only its beginning is read' : ''}.` };
}

/** A scan file of a preview, if it is one and was read whole. */
export const scanOf = (preview: Preview): SarifView | null => firstOf(preview, (document) => sarifView(document));

/** The packages of an SBOM of a preview, if it is one and was read whole. */
export const packagesIn = (preview: Preview): Package[] | null => firstOf(preview, (document) => packagesOf(document));

function firstOf<T>(preview: Preview, view: (document: unknown) => T | null): T | null {
  for (const { text, isCut } of textsOf(preview)) {
    const found = isCut ? null : view(jsonOf(text));
    if (found !== null) return found;
  }
  return null;
}

/** Parses JSON; undefined for every other text. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
