import { messageOf, nameOfError } from '#shared/base/error-facts.ts';

/** The bucket has other bytes under a name that stands for the same bytes for ever. */
export class ObjectDiffers extends Error {
  constructor(path: string) {
    super(`The bucket has other bytes under ${path}`);
    this.name = 'ObjectDiffers';
  }
}

/** Whether Object Lock refused a removal. A missing right has the same name and another sentence. */
export const isLocked = (error: unknown): boolean =>
  nameOfError(error) === 'AccessDenied' && /object lock|WORM/i.test(messageOf(error));

/** Whether the bucket has no object under the key. */
export const isMissing = (error: unknown): boolean => {
  // The SDK adds the answer's status to its errors. Other values have none of the two members.
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  return name === 'NotFound' || name === 'NoSuchKey' || $metadata?.httpStatusCode === 404;
};
