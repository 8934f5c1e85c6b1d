import { dirname } from 'node:path';
import { filesBelow, isIn, isSource } from './source-files.ts';

/** The files of `functions` that call use cases (docs/architecture.md#inside-a-domain). */

const files = filesBelow('functions').filter(isSource);

/** The folders of endpoint groups. */
export const GROUPS = files.filter((file) => file.endsWith('/endpoints.ts')).map(dirname);
/** Schemas and shaping of requests and answers that several groups share. */
export const FORMS = 'functions/forms';
/** Functions that no request reaches. They translate events and call use cases. */
export const WORKERS = ['relay', 'notifier', 'expander', 'evaluator', 'exporter', 'integrator', 'operator'].map(
  (name) => `functions/${name}`,
);

export const filesOfGroups = files.filter((file) => isIn(file, FORMS, ...GROUPS));
export const filesOfWorkers = files.filter((file) => isIn(file, ...WORKERS));
