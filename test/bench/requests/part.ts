import type { Part } from '../part.ts';
import { measureRequests, type RequestsResult } from './measure.ts';
import { missedFloors, requestsSection } from './report.ts';

export const requestsPart: Part<RequestsResult> = {
  name: 'requests',
  measure: measureRequests,
  section: requestsSection,
  missed: missedFloors,
};
