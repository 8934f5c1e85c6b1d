import busboy from 'busboy';
import { invalid, type ServiceError } from '#shared/base/errors.ts';
import { addError, addIllFormed, type FieldErrors } from '#shared/base/validation.ts';
import type { FilePart } from '#shared/bodies/file-part.ts';
import type { FileRule } from './request.ts';
import { inlineFileTooLarge } from './sentences.ts';
import { addUnknownNames } from './unknown-names.ts';

/** Largest file inside a request, in bytes (rules/requests.md#size-of-requests). */
export const INLINE_LIMIT = 4 * 1024 * 1024;
/** No client sends more parts. The size limit of requests bounds everything else. */
const MOST_PARTS = 1000;
const REPLACEMENT = Buffer.from('\ufffd');

interface Form {
  /** Text of the JSON part; undefined if the part is missing. */
  text: string | undefined;
  files: FilePart[];
}

interface FormRule {
  /** Name of the JSON part. */
  part: string;
  files: readonly FileRule[];
}

interface Part {
  name: string;
  filename: string;
  mimeType: string;
  isFile: boolean;
  bytes: Buffer;
}

/**
 * Parses a form. The JSON part may be a text field or a file part. Nothing that was sent is dropped: a part that no rule
 * names is an error, and so is a text in the place of a file, unless the rule accepts its file as text or the text is
 * empty (rules/requests.md#forms).
 * @param contentType content type of the request, with its boundary
 * @param errors collects the parts that cannot be used, by their names
 * @throws ServiceError 400 with the name of the part if the form is broken, is cut off or has the JSON part twice; 413, or
 *   the sentence of the rule, if a file is too large
 */
export async function readForm(contentType: string, body: Buffer, rule: FormRule, errors: FieldErrors): Promise<Form> {
  const broken = (problem: string, cause?: unknown) => invalid({ [rule.part]: problem }, cause);
  const parts = await readParts(contentType, body, broken);
  const [document, second] = parts.filter(({ name }) => name === rule.part);
  if (second) throw broken(`The part '${rule.part}' was sent more than once`);
  if (document?.isFile && document.bytes.length > INLINE_LIMIT) throw inlineFileTooLarge();
  addUnknownParts(parts, rule, errors);
  // Parameters of a part may be in UTF-16.
  for (const { name, filename } of parts) addIllFormed(filename, { whole: name.toWellFormed() }, errors);
  const files = parts.flatMap((part) => {
    const fileRule = part === document ? undefined : matching(rule.files, part.name);
    if (!fileRule) return [];
    if (part.isFile || fileRule.alsoText) return [checkedFile(part, fileRule)];
    if (part.bytes.length > 0) addError(errors, part.name, textForFile(part.name));
    return [];
  });
  for (const [i, { part }] of files.entries()) {
    const isSecond = files.findIndex((file) => file.part === part) < i;
    if (isSecond && rule.files.some((known) => known.part === part)) {
      addError(errors, part, `The part '${part}' was sent more than once`);
    }
  }
  const text = document?.bytes.toString('utf8');
  // The parser replaces bytes that are not UTF-8 by a replacement character. Evidence must not change unnoticed,
  // so such text is refused.
  if (text?.includes('\ufffd') && !body.includes(REPLACEMENT)) throw broken('The text is not UTF-8');
  return { text, files };
}

const textForFile = (name: string) =>
  `The part '${name}' is a text, not a file. Send it with a file name: in curl, -F ${name}=@file`;

function addUnknownParts(parts: readonly Part[], rule: FormRule, errors: FieldErrors): void {
  const unknown = parts.filter(({ name }) => name !== rule.part && !matching(rule.files, name));
  const known = [rule.part, ...rule.files.flatMap(namesOf)];
  addUnknownNames(
    'part',
    unknown.map(({ name }) => name),
    known,
    errors,
  );
}

/** The constant start of a part's name if the rule is a pattern: `attachment_file` of `attachment_file.0`. */
const firstName = ({ part }: FileRule): string =>
  typeof part === 'string' ? part : (/^\^?([\w-]+)/.exec(part.source)?.[1] ?? part.source);

const namesOf = (rule: FileRule): string[] =>
  typeof rule.part === 'string' ? [rule.part] : [firstName(rule), `${firstName(rule)}.0`];

const matching = (rules: readonly FileRule[], name: string) =>
  rules.find(({ part }) => (typeof part === 'string' ? part === name : part.test(name)));

function checkedFile({ name, filename, mimeType, bytes }: Part, rule: FileRule): FilePart {
  if (bytes.length > Math.min(rule.limit, INLINE_LIMIT)) {
    throw rule.limit > INLINE_LIMIT ? inlineFileTooLarge() : tooLarge(name, rule);
  }
  return { part: name, filename, contentType: mimeType, bytes };
}

const tooLarge = (name: string, rule: FileRule): ServiceError =>
  rule.tooLarge ? rule.tooLarge() : invalid({ [name]: `The file is larger than ${rule.limit} bytes` });

function readParts(
  contentType: string,
  body: Buffer,
  broken: (problem: string, cause?: unknown) => ServiceError,
): Promise<Part[]> {
  return new Promise((resolve, reject) => {
    const parts: Part[] = [];
    let form: busboy.Busboy;
    try {
      form = busboy({
        headers: { 'content-type': contentType },
        defParamCharset: 'utf8',
        // The parser also marks a file of exactly the limit as cut off, so its limit is one byte higher
        // (rules/storage.md#form-parser).
        limits: { fileSize: INLINE_LIMIT + 1, fieldSize: Number.POSITIVE_INFINITY, parts: MOST_PARTS },
      });
    } catch (error) {
      reject(broken('The form has no usable boundary', error));
      return;
    }
    const fail = (error: unknown) => reject(broken('The form is cut off or broken', error));
    form.on('field', (name, value, { mimeType }) => {
      const bytes = Buffer.from(value, 'utf8');
      parts.push({ name, filename: '', mimeType, isFile: false, bytes });
    });
    form.on('file', (name, stream, { filename, mimeType }) => {
      const chunks: Buffer[] = [];
      // Without this listener an incomplete body ends the process (rules/storage.md#form-parser).
      stream.on('error', fail);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('close', () => {
        const bytes = Buffer.concat(chunks);
        parts.push({ name, filename: filename ?? '', mimeType, isFile: true, bytes });
      });
    });
    form.on('partsLimit', () => reject(broken(`The form has more than ${MOST_PARTS} parts`)));
    form.on('error', fail);
    form.on('close', () => {
      // The types of the library promise a name, but a part can come without one.
      const named = parts.filter(({ name }) => (name as string | undefined) !== undefined);
      if (named.length === sentParts(contentType, body)) resolve(parts);
      else reject(broken('A part of the form has no name'));
    });
    form.end(body);
  });
}

/** Counts the parts of a complete form. The parser skips parts whose headers do not make them fields or files. */
function sentParts(contentType: string, body: Buffer): number {
  const [, quoted, bare] = /boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType) ?? [];
  const pieces = `\r\n${body.toString('latin1')}`.split(`\r\n--${quoted ?? bare}`);
  return pieces.findIndex((piece, i) => i > 0 && piece.startsWith('--')) - 1;
}
