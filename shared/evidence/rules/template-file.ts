import { invalid } from '#shared/base/errors.ts';
import { parseTemplate, type Template, TemplateError } from './template.ts';

const PART = 'template_file';

/** The form part with a template: a file part or a text field (rules/flows.md#template-file). */
export const TEMPLATE_FILE = {
  part: PART,
  alsoText: true,
  limit: 1024 * 1024,
  description: 'The template: YAML, version 1',
};

/** A template: its text exactly as sent, and what the text says. */
export interface ReadTemplate {
  text: string;
  template: Template;
}

/**
 * Reads the template of a form and checks it. The text keeps a byte order mark.
 *
 * @returns undefined if the form has no template part
 * @throws ServiceError `invalid` on `template_file` if the bytes are not UTF-8 or the template breaks a rule
 */
export function readTemplateFile(files: readonly { part: string; bytes: Uint8Array }[]): ReadTemplate | undefined {
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
