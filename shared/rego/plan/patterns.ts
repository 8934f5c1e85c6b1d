import { unsafeError } from '../compile/safety.ts';
import { alignedValues } from '../compile/variables.ts';
import type { RegoError } from '../errors.ts';
import type { Exec, Frame, Sink } from '../run/context.ts';
import { below, type Doc, documentValue, keysBelow, Place, stored } from '../run/documents.ts';
import type { RefTerm, Term } from '../syntax/ast.ts';
import { type Collection, elements, equal, isArray, isCollection, RegoObject, type Value } from '../values/value.ts';
import type { Bound } from './space.ts';
import { type Hoisted, TermPlanner } from './terms.ts';

type DocSink = (frame: Frame, doc: Doc) => boolean;
type Pair = readonly [left: Term, right: Term];

/** Plans terms that bind variables: references that walk, and unification. */
export abstract class PatternPlanner extends TermPlanner {
  protected override hoists(hoisted: readonly Hoisted[], bound: Bound, next: () => Exec, from = 0): Exec {
    const one = hoisted[from];
    if (one === undefined) return next();
    const slot = this.space.slot(one.name);
    return this.walk(one.ref, bound, () => {
      bound.add(one.name);
      const rest = this.hoists(hoisted, bound, next, from + 1);
      return (frame, value) => {
        frame.slots[slot] = value;
        return rest(frame);
      };
    });
  }

  /** Plans a reference that may walk. `next` receives one value per solution. */
  protected walk(ref: RefTerm, bound: Bound, next: () => Sink): Exec {
    if (this.isBound(ref, bound)) {
      const value = this.evaluator(ref, bound);
      const sink = next();
      return (frame) => {
        frame.context.run.budget.spend();
        const found = value(frame);
        return found !== undefined && sink(frame, found);
      };
    }
    if (!this.isBound(ref.head, bound)) throw this.unsafe(ref.head, bound);
    const { doc, path } = this.start(ref, bound);
    const steps = this.steps(path, 0, bound, next);
    return (frame) => {
      frame.context.run.budget.spend();
      const start = doc(frame);
      return start !== undefined && steps(frame, start);
    };
  }

  private steps(path: readonly Term[], from: number, bound: Bound, next: () => Sink): DocSink {
    const step = path[from];
    if (step === undefined) {
      const sink = next();
      return (frame, doc) => {
        const value = documentValue(frame.context, doc);
        return value !== undefined && sink(frame, value);
      };
    }
    if (this.isBound(step, bound)) {
      const key = this.evaluator(step, bound);
      const rest = this.steps(path, from + 1, bound, next);
      return (frame, doc) => {
        const name = key(frame);
        const found = name === undefined ? undefined : below(frame.context, doc, name);
        return found !== undefined && rest(frame, found);
      };
    }
    if (step.type === 'var') {
      bound.add(step.name);
      return walkAll(this.space.slot(step.name), this.steps(path, from + 1, bound, next));
    }
    const kept = this.space.temporary();
    const key = this.match(step, bound, () => {
      const rest = this.steps(path, from + 1, bound, next);
      return (frame) => {
        const value = frame.slots[kept];
        return value !== undefined && rest(frame, value);
      };
    });
    return (frame, doc) => {
      const whole = doc instanceof Place && doc.isStored() ? doc.base : doc;
      if (whole instanceof Place || !isCollection(whole)) return false;
      for (const [name, value] of entries(whole)) {
        frame.context.run.budget.spend();
        frame.slots[kept] = value;
        if (key(frame, name)) return true;
      }
      return false;
    };
  }

  /** Plans the pairs of a unification, each as soon as one of its sides is bound. */
  protected unify(pairs: readonly Pair[], bound: Bound, next: () => Exec): Exec {
    if (pairs.length === 0) return next();
    for (const [index, pair] of pairs.entries()) {
      const others = pairs.toSpliced(index, 1);
      const [left, right] = pair;
      if (this.isBound(left, bound)) return this.given(left, right, bound, () => this.unify(others, bound, next));
      if (this.isBound(right, bound)) return this.given(right, left, bound, () => this.unify(others, bound, next));
      const parts = splitPair(left, right);
      if (parts === 'never') return () => false;
      if (parts !== null) return this.unify(pairs.toSpliced(index, 1, ...parts), bound, next);
    }
    for (const [index, [left, right]] of pairs.entries()) {
      const ref = left.type === 'ref' ? left : right.type === 'ref' ? right : null;
      if (ref === null || !this.isBound(ref.head, bound)) continue;
      const other = ref === left ? right : left;
      const hoisted: Hoisted[] = [];
      const value = this.hoist(ref, hoisted);
      return this.hoists(hoisted, bound, () => this.unify(pairs.toSpliced(index, 1, [value, other]), bound, next));
    }
    throw this.noProgress(pairs, bound);
  }

  private noProgress(pairs: readonly Pair[], bound: Bound): RegoError {
    const [pair] = pairs;
    return pair === undefined ? unsafeError([]) : this.unsafe(this.isBound(pair[0], bound) ? pair[1] : pair[0], bound);
  }

  /** Plans `value = pattern` for a side that is bound. */
  private given(known: Term, pattern: Term, bound: Bound, next: () => Exec): Exec {
    if (pattern.type === 'ref' && !this.isBound(pattern, bound)) {
      return this.walk(pattern, bound, () => this.match(known, bound, next));
    }
    const value = this.evaluator(known, bound);
    const sink = this.match(pattern, bound, next);
    return (frame) => {
      frame.context.run.budget.spend();
      const found = value(frame);
      return found !== undefined && sink(frame, found);
    };
  }

  /** Plans a pattern that receives a value. */
  protected match(pattern: Term, bound: Bound, next: () => Exec): Sink {
    if (this.isBound(pattern, bound)) {
      const value = this.evaluator(pattern, bound);
      const rest = next();
      return (frame, given) => {
        const found = value(frame);
        return found !== undefined && equal(found, given) && rest(frame);
      };
    }
    if (pattern.type === 'var') {
      bound.add(pattern.name);
      const slot = this.space.slot(pattern.name);
      const rest = next();
      return (frame, given) => {
        frame.slots[slot] = given;
        return rest(frame);
      };
    }
    const kept = this.space.temporary();
    if (pattern.type === 'array') {
      const size = pattern.items.length;
      const rest = this.matchItems(pattern.items, 0, kept, bound, next);
      return (frame, given) => {
        if (!isArray(given) || given.length !== size) return false;
        frame.slots[kept] = given;
        return rest(frame);
      };
    }
    if (pattern.type !== 'object') throw this.unsafe(pattern, bound);
    const size = pattern.pairs.length;
    const rest = this.matchPairs(pattern.pairs, 0, kept, bound, next);
    return (frame, given) => {
      if (!(given instanceof RegoObject) || given.size !== size) return false;
      frame.slots[kept] = given;
      return rest(frame);
    };
  }

  private matchItems(items: readonly Term[], from: number, kept: number, bound: Bound, next: () => Exec): Exec {
    const item = items[from];
    if (item === undefined) return next();
    const sink = this.match(item, bound, () => this.matchItems(items, from + 1, kept, bound, next));
    return (frame) => {
      const whole = frame.slots[kept];
      const value = isArray(whole) ? whole[from] : undefined;
      return value !== undefined && sink(frame, value);
    };
  }

  private matchPairs(pairs: readonly Pair[], from: number, kept: number, bound: Bound, next: () => Exec): Exec {
    const pair = pairs[from];
    if (pair === undefined) return next();
    const key = this.evaluator(pair[0], bound);
    const sink = this.match(pair[1], bound, () => this.matchPairs(pairs, from + 1, kept, bound, next));
    return (frame) => {
      const name = key(frame);
      const whole = frame.slots[kept];
      const value = whole instanceof RegoObject && name !== undefined ? whole.get(name) : undefined;
      return value !== undefined && sink(frame, value);
    };
  }
}

/** Splits two patterns into pairs. `never` means that they cannot be equal, null that one is no collection. */
function splitPair(left: Term, right: Term): readonly Pair[] | 'never' | null {
  if (left.type === 'array' && right.type === 'array') {
    if (left.items.length !== right.items.length) return 'never';
    return left.items.flatMap((item, at): Pair[] => {
      const other = right.items[at];
      return other === undefined ? [] : [[item, other]];
    });
  }
  return left.type === 'object' && right.type === 'object' ? alignedValues(left, right) : null;
}

function walkAll(slot: number, rest: DocSink): DocSink {
  return (frame, doc) => {
    const { budget } = frame.context.run;
    const isPlace = doc instanceof Place;
    if (isPlace && !doc.isStored()) {
      for (const key of keysBelow(doc)) {
        budget.spend();
        frame.slots[slot] = key;
        const child = below(frame.context, doc, key);
        if (child !== undefined && rest(frame, child)) return true;
      }
      return false;
    }
    const whole = isPlace ? doc.base : doc;
    if (!isCollection(whole)) return false;
    for (const [key, value] of entries(whole)) {
      budget.spend();
      frame.slots[slot] = key;
      if (rest(frame, isPlace ? stored(value) : value)) return true;
    }
    return false;
  };
}

/** Returns the keys and elements of a collection in order. */
export function entries(collection: Collection): Iterable<readonly [Value, Value]> {
  if (collection instanceof RegoObject) return collection.pairs();
  if (isArray(collection)) return collection.entries();
  return elements(collection).map((member) => [member, member] as const);
}
