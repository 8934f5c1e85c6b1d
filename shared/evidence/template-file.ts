import { invalid } from '#shared/base/errors.ts';
import type { FilePart, FileRule } from '#shared/http/endpoint.ts';
import { parseTemplate, type Template, TemplateError } from './rules/template.ts';

const PART = 'template_file';

/** The form part with a template; at most 1 MB (semantics §15). Pasted as a text field it counts all the same. */
export const TEMPLATE_FILE: FileRule = {
  part: PART,
  alsoText: true,
  limit: 1024 * 1024,
  description: 'The template: YAML, version 1',
};

/**
 * The template of a form, checked and kept to the letter: a byte order mark stays, bytes that are no text are refused.
 * @throws ApiError 400 on the part
 */
export function readTemplateFile(files: readonly FilePart[]): { text: string; template: Template } | undefined {
  const file = files.find(({ part }) => part === PART);
  if (!file) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(file.bytes);
    return { text, template: parseTemplate(text) };
  } catch (error) {
    if (error instanceof TemplateError) throw invalid({ [PART]: error.message }, error);
    if (error instanceof TypeError) throw invalid({ [PART]: 'The text is not UTF-8' }, error);
    throw error;
  }
}
