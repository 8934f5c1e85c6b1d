import type { ESTree } from 'vite';
import { parseSource } from './syntax.ts';

/** `as const` and `satisfies` change no type that the compiler knows, so they need no reason. */
const isConst = ({ typeAnnotation }: ESTree.TSAsExpression): boolean =>
  typeAnnotation.type === 'TSTypeReference' &&
  typeAnnotation.typeName.type === 'Identifier' &&
  typeAnnotation.typeName.name === 'const';

/**
 * Returns the lines of a source that have a cast without a reason. A reason is a comment `// …` on the line of the cast, or a
 * comment on the line above. A cast stands on the line of its type.
 */
export function castsWithoutReason(file: string, text?: string): number[] {
  const source = parseSource(file, text);
  const explained = new Set<number>();
  for (const { type, start, end } of source.comments) {
    const last = source.lineOf({ start: end });
    if (type === 'Line') explained.add(source.lineOf({ start }));
    explained.add(last + 1);
  }
  const casts = new Set<number>();
  source.visit({
    TSAsExpression: (node) => {
      if (!isConst(node)) casts.add(source.lineOf(node.typeAnnotation));
    },
  });
  return [...casts].filter((line) => !explained.has(line));
}
