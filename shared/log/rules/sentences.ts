import { sentence } from '#shared/base/errors.ts';

// The sentences of rules/log.md#sentences-of-the-log.
export const noCheckpoint = sentence(404, "The log of organization '{org}' has no checkpoint yet");
export const noTile = sentence(404, "The log of organization '{org}' has no tile '{path}'");
