;; The loop of escape-json.ts, 16 bytes at a time. Its binary is in escape-wasm.ts, made by
;;   npx wat2wasm escape-json.wat --output=- | base64 --wrap=0
;;
;; At address 8 * byte, memory has the escaped form of the byte: up to six bytes, and their number in the eighth byte.
;; escape(source, end of source, target) returns the end of the target. It writes up to 15 bytes past that end.
(module
  (memory (import "a" "m") 1)
  (func (export "escape") (param $src i32) (param $end i32) (param $dst i32) (result i32)
    (local $v v128) (local $m i32) (local $b i32)
    (block $done
      (loop $next
        (br_if $done (i32.gt_u (i32.add (local.get $src) (i32.const 16)) (local.get $end)))
        (v128.store (local.get $dst) (local.tee $v (v128.load (local.get $src))))
        (local.set $m (i8x16.bitmask
          (v128.or (i8x16.lt_u (local.get $v) (i8x16.splat (i32.const 0x20)))
            (v128.or (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x22)))
                     (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x5c)))))))
        (if (i32.eqz (local.get $m))
          (then
            (local.set $src (i32.add (local.get $src) (i32.const 16)))
            (local.set $dst (i32.add (local.get $dst) (i32.const 16)))
            (br $next)))
        ;; The bytes below the first byte that needs an escape are already written.
        (local.set $m (i32.ctz (local.get $m)))
        (local.set $src (i32.add (local.get $src) (local.get $m)))
        (local.set $dst (i32.add (local.get $dst) (local.get $m)))
        (local.set $b (i32.shl (i32.load8_u (local.get $src)) (i32.const 3)))
        (i64.store (local.get $dst) (i64.load (local.get $b)))
        (local.set $dst (i32.add (local.get $dst) (i32.load8_u offset=7 (local.get $b))))
        (local.set $src (i32.add (local.get $src) (i32.const 1)))
        (br $next)))
    (block $end_of_rest
      (loop $rest
        (br_if $end_of_rest (i32.ge_u (local.get $src) (local.get $end)))
        (local.set $b (i32.shl (i32.load8_u (local.get $src)) (i32.const 3)))
        (i64.store (local.get $dst) (i64.load (local.get $b)))
        (local.set $dst (i32.add (local.get $dst) (i32.load8_u offset=7 (local.get $b))))
        (local.set $src (i32.add (local.get $src) (i32.const 1)))
        (br $rest)))
    (local.get $dst)))
