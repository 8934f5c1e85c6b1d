import { type PackageQuestion, packageQuestion } from '#shared/components/rules/question.ts';
import type { Watch } from './watch.ts';

/** The question of a watch as it is stored. @throws Error if it cannot be read: only readable ones are stored */
export function questionOf({ purl, versions }: Pick<Watch, 'purl' | 'versions'>): PackageQuestion {
  const read = packageQuestion(purl, versions ?? undefined);
  if ('errors' in read) throw new Error(`A watch asks for ${purl}, which cannot be read`);
  return read.question;
}
