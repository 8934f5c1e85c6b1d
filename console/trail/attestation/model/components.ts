import { count } from '../../../model/words.ts';
import type { Attestation, SbomComponent } from '../../operations.ts';

/** What is said of the components of an attestation (rules/components.md#state). */

type Components = NonNullable<Attestation['components']>;

/** Whether the components are known, and why not. What nobody knows may be anything. */
export function componentsSentence({ state, count: number, format, why }: Components): string {
  switch (state) {
    case 'pending':
      return 'The service has not read the file yet. That takes some seconds: open the details again.';
    case 'read':
      return `${count(number ?? 0, 'component')}, as ${format ?? 'the file'} lists them.`;
    case 'unreadable':
      return `The SBOM cannot be read, so nobody knows the components${why === null ? '.' : `: ${why}`}`;
    case 'erased':
      return 'The SBOM was erased, and its components are forgotten.';
  }
}

/** What follows the name of a component: `4.17.21, direct`. */
export function componentFacts({ version, depth }: Pick<SbomComponent, 'version' | 'depth'>): string {
  return [version ?? 'no version', ...(depth === null ? [] : [depth])].join(', ');
}
