import { GLOSSARY } from '#shared/console/glossary.ts';

const HEAD = `# Glossary

The words of this field, in the order of the alphabet. Generated from \`shared/console/glossary.ts\`; do not edit. To renew it:
\`node infra/documents/write-glossary-document.ts\`. The console shows the same words: «Glossary» in the menu of the account.
`;

/** Returns the text of `docs/glossary.md`: each word with its meaning and the rule that has the details. */
export const glossaryDocument = (glossary = GLOSSARY): string =>
  [HEAD, ...Object.entries(glossary).map(entryText)].join('\n');

const entryText = ([word, [meaning, rule]]: [string, readonly [string, string]]): string =>
  `## ${word}\n\n${wrapped(meaning)}\n[Rule](${rule})\n`;

/** Breaks a text into lines of at most 130 characters. */
const wrapped = (text: string): string => text.replace(/(?=\S)(.{1,130})(?:\s+|$)/g, '$1\n').trimEnd();
