import type { FlowId, TrailId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import type { MomentKind, SlotChange } from './trail-state.ts';

/** The part of a moment from which the effects of its event derive. A stored moment has all these fields. */
export interface MomentFacts {
  kind: MomentKind;
  at: Micros;
  number: number;
  /** Id of the flow. */
  flow: FlowId;
  /** Id of the trail. */
  trail: TrailId;
  /** Name of the trail. */
  name: TrailName;
  /** Id of the request that wrote it; absent in moments of earlier releases. */
  request?: string | undefined;
  content: {
    changes: readonly SlotChange[];
    /** Compliance word of the trail after the moment. */
    word: string;
    by: { name: string };
    /** Id of the repository that a report names. */
    repo?: string | undefined;
    show?: Record<string, unknown> | undefined;
  };
}
