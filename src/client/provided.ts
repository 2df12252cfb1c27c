/** A value, or a function that returns the present value. */
export type Provided<Value> = Value | (() => Value);

/** Returns the present value. */
export function current<Value extends string | object | undefined>(provided: Provided<Value>): Value {
  return typeof provided === 'function' ? provided() : provided;
}
