"""Pairs with known errors: invented ones, and errors put into a user's own reports.

Reports are invented in `credible`: whatever needs new ones that read as real ones do takes them from there. The older
generator in `invented` stays beside it, since it labels a pair from the drafts that the pair was written from: the
shipped readouts, CREPE's small model and RaTEScore's learned table were fitted on its pairs, and published figures are
those of its seeds.
"""
