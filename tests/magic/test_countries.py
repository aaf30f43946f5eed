"""Country codes, compared with lists that were written independently of the table in `magic.countries`."""

import pytest

from overtrick.magic.countries import iso_code

EUROPE = """
    ALB=ALB ARM=ARM AUT=AUT AZE=AZE BEL=BEL BIH=BIH BLR=BLR BUL=BGR CRO=HRV CYP=CYP CZE=CZE DEN=DNK ESP=ESP EST=EST
    FIN=FIN FRA=FRA GEO=GEO GER=DEU GRE=GRC HUN=HUN IRL=IRL ISL=ISL ISR=ISR ITA=ITA LAT=LVA LBN=LBN LIE=LIE LTU=LTU
    LUX=LUX MLT=MLT MNE=MNE MON=MCO NED=NLD NOR=NOR POL=POL POR=PRT ROU=ROU RUS=RUS SLO=SVN SMR=SMR SRB=SRB SUI=CHE
    SVK=SVK SWE=SWE TUR=TUR UKR=UKR
"""
EBL_ONLY = "IRE=IRL SWI=CHE SER=SRB FAR=FRO"
WITHOUT_ISO_CODE = "ENG= SCO= WAL= NIR="
EASILY_CONFUSED = """
    ANG=AGO ANT=ATG BAH=BHS BAN=BGD BAR=BRB BRN=BHR BRU=BRN BUR=BFA CAM=KHM CAY=CYM CGO=COG COD=COD CHI=CHL CHN=CHN
    GEQ=GNQ GUI=GIN GBS=GNB INA=IDN IRI=IRN IRQ=IRQ MAD=MDG MAS=MYS MAW=MWI MRI=MUS MTN=MRT NGR=NGA NIG=NER PAR=PRY
    PHI=PHL PUR=PRI RSA=ZAF SAM=WSM SIN=SGP SGP=SGP SOL=SLB SRI=LKA SUD=SDN TAN=TZA TPE=TWN UAE=ARE URU=URY VIE=VNM
    VIN=VCT ZAM=ZMB ZIM=ZWE
"""
"""Codes that differ from ISO's, or are ISO's code of another country."""


@pytest.mark.parametrize("table", [EUROPE, EBL_ONLY, WITHOUT_ISO_CODE, EASILY_CONFUSED])
def test_ioc_and_ebl_codes_have_the_iso_code_of_the_same_country(table: str) -> None:
    expected = {ioc: iso for ioc, _, iso in (pair.partition("=") for pair in table.split())}
    assert {ioc: iso_code(ioc) for ioc in expected} == expected


@pytest.mark.parametrize("code", ["", "XXX", "EUR"])
def test_code_of_no_country_has_no_iso_code(code: str) -> None:
    assert iso_code(code) == ""


def test_code_in_small_letters_has_its_iso_code() -> None:
    assert iso_code("far") == "FRO"
