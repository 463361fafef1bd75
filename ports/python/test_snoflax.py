"""The cases and vectors of spec/, and what they don't hold: order, threads, forks. Run: python3 -m unittest"""

import doctest
import json
import os
import threading
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

import snoflax
from snoflax import IdError, flax, prefixed, typeid, ulid, uuid7

SPEC = Path(__file__).parent.parent.parent / 'spec'
SUFFIX = typeid('user').base
FAMILIES = {'flax': flax, 'uuid7': uuid7, 'ulid': ulid, 'typeid': SUFFIX}
#: Operations that this port doesn't have.
LEFT_OUT = {'pack'}
TIMES = {'NaN': float('nan'), 'Infinity': float('inf'), '-Infinity': float('-inf')}


def time_of(value):
    return TIMES.get(value, value) if isinstance(value, str) else value


def perform(family, operation, value):
    if operation == 'decode':
        return family.decode(value)
    if operation == 'encode':
        return family.encode(bytes.fromhex(value))
    if operation == 'range':
        return family.range(time_of(value['fromMs']), time_of(value['toMs']))
    name = {'generateAt': 'generate_at', 'lowerBound': 'lower_bound', 'upperBound': 'lower_bound'}[operation]
    return getattr(family, name)(time_of(value))


def load(name):
    return json.loads((SPEC / name).read_text())


class Cases(unittest.TestCase):
    def refused(self, code, call, position=None):
        with self.assertRaises(IdError) as caught:
            call()
        self.assertEqual(caught.exception.code, code)
        if position is not None:
            self.assertEqual(caught.exception.position, position)

    def test_cases(self):
        for name, family in FAMILIES.items():
            cases = load(f'cases/{name}.json')
            for case in cases['valid']:
                with self.subTest(family=name, case=case['name']):
                    self.assertEqual(family.encode(bytes.fromhex(case['hex'])), case['text'])
                    self.assertEqual(family.decode(case['text']).hex(), case['hex'])
                    self.assertEqual(family.time_ms(case['text']), case['timeMs'])
                    self.assertEqual(family.parse(case['text']), case['text'])
            for case in cases['invalid']:
                if case['operation'] in LEFT_OUT:
                    continue
                with self.subTest(family=name, case=case['name']):
                    call = lambda: perform(family, case['operation'], case['input'])
                    self.refused(case['code'], call, case.get('position'))
                    if case['operation'] == 'decode':
                        self.assertFalse(family.is_id(case['input']))
            for key in 'lowerBound', 'upperBound':
                for bound in cases[key]:
                    self.assertEqual(perform(family, key, bound['timeMs']), bound['text'], (name, bound))
            for case in cases['range']:
                bounds = family.range(time_of(case['fromMs']), time_of(case['toMs']))
                self.assertEqual(bounds, (case['gte'], case.get('lt')), (name, case))

    def test_prefixes(self):
        cases = load('cases/prefixed.json')
        for case in cases['valid']:
            family = prefixed(FAMILIES[case['base']], case['prefix'])
            self.assertEqual(family.parse(case['text']), case['text'])
            self.assertEqual(family.time_ms(case['text']), case['timeMs'])
        for case in cases['invalid']:
            family = prefixed(FAMILIES[case['base']], case['prefix'])
            with self.subTest(case=case['name']):
                self.refused(case['code'], lambda: family.parse(case['input']), case.get('position'))
        for prefix in cases['prefixes']['valid']:
            prefixed(flax, prefix)
        for prefix in cases['prefixes']['invalid']:
            self.refused('INVALID_OPTION', lambda: prefixed(flax, prefix))

    def test_vectors(self):
        for vector in load('vectors/flax.json')['vectors']:
            if vector['kind'] in ('encode', 'base64'):
                self.assertEqual(flax.encode(bytes.fromhex(vector['hex'])), vector['text'])
            if vector['kind'] == 'regex':
                self.assertEqual(flax.is_id(vector['text']), vector['canonical'], vector)
        for name, family in (('uuid7', uuid7), ('ulid', ulid)):
            for vector in load(f'vectors/{name}.json')['vectors']:
                if vector['kind'] == 'decode':
                    self.assertEqual(family.time_ms(vector['text']), vector['timestampMs'])
                if vector['kind'] == 'refused':
                    self.assertFalse(family.is_id(vector['text']), vector)
        for vector in load('vectors/typeid.json')['vectors']:
            text = vector['text']
            prefix, separator, _ = text.rpartition('_')
            if vector['kind'] == 'valid' and separator and SUFFIX.is_id(text[len(prefix) + 1 :]):
                self.assertEqual(typeid(prefix).decode(text).hex(), vector['uuid'].replace('-', ''))
            if vector['kind'] == 'invalid':
                self.assertFalse(self.is_typeid(prefix, text), vector)

    @staticmethod
    def is_typeid(prefix, text):
        try:
            return typeid(prefix).is_id(text)
        except IdError:
            return False


class Generating(unittest.TestCase):
    def test_order_and_threads(self):
        for family in (uuid7, ulid, SUFFIX):
            ids = [family.generate() for _ in range(100_000)]
            self.assertEqual(ids, sorted(set(ids)))
        for family in FAMILIES.values():
            found = []
            workers = [
                threading.Thread(target=lambda: found.extend([family.generate() for _ in range(5000)])) for _ in range(8)
            ]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            self.assertEqual(len(set(found)), 40_000)

    @unittest.skipUnless(hasattr(os, 'fork'), 'no fork')
    def test_forks(self):
        for family in FAMILIES.values():
            family.generate()
            reader, writer = os.pipe()
            if os.fork() == 0:
                os.write(writer, '\n'.join(family.generate() for _ in range(1000)).encode())
                os._exit(0)
            os.close(writer)
            ours = {family.generate() for _ in range(1000)}
            with os.fdopen(reader) as file:
                theirs = set(file.read().split('\n'))
            os.wait()
            self.assertEqual(len(ours | theirs), 2000, family.name)

    def test_times(self):
        now = datetime.now(timezone.utc)
        for family in (*FAMILIES.values(), prefixed(flax, 'cus'), typeid('user')):
            self.assertLess(abs(family.time(family.generate()) - now), timedelta(minutes=5))
            at = datetime(2026, 11, 29, 12, 0, 0, 123_999, tzinfo=timezone.utc)
            self.assertEqual(family.time(family.generate_at(at)), at.replace(microsecond=123_000))
            gte, lt = family.range(at, at + timedelta(milliseconds=1))
            self.assertEqual(family.time_ms(gte) % 1000, 124)
            self.assertEqual(family.time_ms(lt) % 1000, 125)
            with self.assertRaises(IdError):
                family.generate_at(datetime(2026, 11, 29))
            with self.assertRaises(IdError):
                family.generate_at(True)

    def test_documentation(self):
        self.assertEqual(doctest.testmod(snoflax).failed, 0)


if __name__ == '__main__':
    unittest.main()
