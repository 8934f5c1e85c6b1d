import { beforeAll, describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { eventItems } from '#shared/environments/records/event-items.ts';
import { recordRunning } from '#shared/environments/records/running.ts';
import { testApi } from '#test/support/api.ts';
import { anArtifact, type EvidenceOfOrganization, fingerprintOf, newOrganization, shaOf } from '#test/support/evidence.ts';
import { countingTable } from '#test/support/units.ts';
